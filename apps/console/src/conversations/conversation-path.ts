/** Not among the conversations: whom one talks to may call itself anything. */
export const newConversationPath = '/compose'

export function conversationPath(number: string): string {
  return `/conversations/${encodeURIComponent(number)}`
}
