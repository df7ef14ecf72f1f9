/**
 * Whether a report's number is the one that was dialled: centres write it with and without the country code, so its last
 * digits count.
 */
export function numbersMatch(dialled: string, reported: string): boolean {
  return significantPart(dialled) === significantPart(reported)
}

/** The same of two numbers that match. */
export function significantPart(number: string): string {
  return digits(number).slice(-significantDigits)
}

function digits(number: string): string {
  return number.replaceAll(/[^\d*#abc]/g, '')
}

const significantDigits = 7
