/** Splits the text after `=` at commas outside quotes (V.250 §5.4.2). */
export class CommandParameters {
  readonly raw: string
  readonly #values: readonly string[]

  constructor(raw: string) {
    this.raw = raw
    this.#values = raw === '' ? [] : split(raw)
  }

  get count(): number {
    return this.#values.length
  }

  /** The value without quotes; undefined if it is omitted. */
  text(index: number): string | undefined {
    const value = this.#values[index]
    if (value === undefined || value === '') return undefined
    if (!value.startsWith('"')) return value
    return value.slice(1, value.length > 1 && value.endsWith('"') ? -1 : undefined)
  }

  /** Returns NaN if the value is not a number, so that every range check fails. */
  number(index: number, whenOmitted = Number.NaN): number {
    const text = this.text(index)
    if (text === undefined) return whenOmitted
    return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  }
}

function split(raw: string): string[] {
  const values: string[] = []
  let quoted = false
  let from = 0
  for (let at = 0; at <= raw.length; at++) {
    const char = raw.charAt(at)
    if (char === '"') quoted = !quoted
    else if ((char === ',' && !quoted) || at === raw.length) {
      values.push(raw.slice(from, at).trim())
      from = at + 1
    }
  }
  return values
}
