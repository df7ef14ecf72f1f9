export function conversationPath(number: string): string {
  return `/conversations/${encodeURIComponent(number)}`
}
