export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** A line of the report: a name, then its figures, each under the one above. */
export function print(name: string, ...figures: readonly string[]): void {
  process.stdout.write(`${name.padEnd(44)}${figures.map((figure) => figure.padStart(16)).join('')}\n`)
}
