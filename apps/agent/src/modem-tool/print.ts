import { printable } from './printable.ts'

/** All that the tool says goes to standard output, all about bytes to standard error. One line, whatever is in it. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}

export function printError(line: string): void {
  process.stderr.write(`${printable(line)}\n`)
}

/** Names in one column, values in the next; rows without a value are left out. */
export function printTable(rows: readonly (readonly [string, string | undefined])[]): void {
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
  const width = Math.max(0, ...known.map(([name]) => name.length))
  for (const [name, value] of known) print(`${name.padEnd(width)}  ${value}`)
}
