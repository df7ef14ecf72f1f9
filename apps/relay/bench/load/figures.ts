export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

/** Prints a line of the report, with a name and figures in columns. */
export function print(name: string, ...figures: readonly string[]): void {
  process.stdout.write(`${name.padEnd(44)}${figures.map((figure) => figure.padStart(16)).join('')}\n`)
}
