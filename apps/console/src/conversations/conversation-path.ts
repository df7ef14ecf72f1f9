/** This path is not below /conversations, because the name of a sender can be any text. */
export const newConversationPath = '/compose'

/**
 * The address of the page for a new conversation. The number is already filled in, and the user can correct it there.
 */
export function correctionPath(number: string): string {
  return `${newConversationPath}?${new URLSearchParams({ to: number })}`
}

type Query = { readonly [name in 'q' | 'folder' | 'label' | 'at']?: string | undefined }

export function conversationPath(number: string, query: Query = {}): string {
  return `/conversations/${encodeURIComponent(number)}${written(query)}`
}

/** Returns the address of the list with the search and the filters of the present address. */
export function listPath(address: string): string {
  const parameters = new URLSearchParams(address)
  const [q, folder, label] = ['q', 'folder', 'label'].map((name) => parameters.get(name) ?? '')
  return `/conversations${written({ q, folder, label })}`
}

function written(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
