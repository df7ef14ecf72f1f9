/**
 * Returns true if a report is about the dialled number. Service centres write the number with or without the country
 * code, so only the last digits are compared.
 */
export function numbersMatch(dialled: string, reported: string): boolean {
  return significantPart(dialled) === significantPart(reported)
}

/** Returns the last digits of a number, which are equal for two numbers that match. */
export function significantPart(number: string): string {
  return digits(number).slice(-significantDigits)
}

function digits(number: string): string {
  return number.replaceAll(/[^\d*#abc]/g, '')
}

const significantDigits = 7
