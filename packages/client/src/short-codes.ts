/**
 * Returns true if all numbers are short codes, such as the number of a service. A short code has no country code, so
 * the gateway accepts it only with `skipPhoneValidation`, which then applies to all numbers of the message.
 */
export function areShortCodes(numbers: readonly string[]): boolean {
  return numbers.every((number) => /^\d{3,6}$/.test(number))
}
