/**
 * Returns true if the network reported the number of a conversation without a country code. A reply must be sent to
 * exactly this number.
 */
export function hasNoCountryCode(number: string): boolean {
  return /^[0-9*#]{1,20}$/.test(number)
}
