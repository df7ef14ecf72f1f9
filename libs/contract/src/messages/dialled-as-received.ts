/**
 * Returns true if a modem can dial the number of a conversation as the network reported it. A reply is sent to exactly
 * this number: it may have no country code, or be from a range that the numbering plans do not contain yet.
 */
export function isDialledAsReceived(number: string): boolean {
  return /^\+?[0-9*#]{1,20}$/.test(number)
}
