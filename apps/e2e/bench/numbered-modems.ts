/** The properties of virtual modems that differ in name, number and IMEI. */
export function numberedModems(count: number, from = 0): Readonly<Record<string, string>>[] {
  return Array.from({ length: count }, (_, at) => {
    const serial = String(from + at).padStart(5, '0')
    return { name: `modem${at}`, number: `+4477009${serial}`, imei: withCheckDigit(`356938035${serial}`) }
  })
}

/** Adds the check digit of the Luhn algorithm. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((all, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return all + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
