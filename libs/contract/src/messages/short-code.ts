/** Returns true for a short code, which has no country code, for example the number of a service. */
export function isShortCode(number: string): boolean {
  return /^\d{3,6}$/.test(number)
}
