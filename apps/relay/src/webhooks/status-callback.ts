/** Returns the origin of a `StatusCallback` URL, which is the URL of the webhook that serves it. */
export function originOf(url: string): string {
  return `${new URL(url).origin}/`
}
