/** Not below /conversations, because a sender name can be any text. */
export const newConversationPath = '/compose'

export function conversationPath(number: string): string {
  return `/conversations/${encodeURIComponent(number)}`
}
