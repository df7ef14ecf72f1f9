/** This path is not below /conversations, because a sender name can be any text. */
export const newConversationPath = '/compose'

export function conversationPath(
  number: string,
  query: { readonly [name in 'q' | 'folder' | 'label' | 'at']?: string | undefined } = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return `/conversations/${encodeURIComponent(number)}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`
}
