/**
 * Whether a report's number is the one that was dialled: centres write it with and without the country code, so its last
 * digits count.
 */
export function numbersMatch(dialled: string, reported: string): boolean {
  const a = digits(dialled)
  const b = digits(reported)
  const compared = Math.min(a.length, b.length, significantDigits)
  if (compared < significantDigits) return a === b
  return a.slice(-compared) === b.slice(-compared)
}

function digits(number: string): string {
  return number.replaceAll(/[^\d*#abc]/g, '')
}

const significantDigits = 7
