import { styleText } from 'node:util'
import { printable } from '@smsgw/daemon/terminal/printable'

/** Splits a text at any kind of line end. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/)
}

/** Prints one line to standard output, even if the text contains line ends. Colours are used on a terminal only. */
export function printLine(line: string, colour?: keyof typeof colours): void {
  const text = printable(line)
  const isColoured = colour !== undefined && process.stdout.isTTY === true
  process.stdout.write(isColoured ? `${styleText(colours[colour], text)}\n` : `${text}\n`)
}

const colours: Readonly<Record<'green' | 'red', Parameters<typeof styleText>[0]>> = {
  green: ['bold', 'green'],
  red: ['bold', 'red'],
}

/** Calls `done` when all earlier output is written; never calls it if writing failed, for example on a full disk. */
export function whenWritten(done: () => void): void {
  process.stdout.write('', (error) => error || done())
}

export function printError(line: string): void {
  process.stderr.write(`${printable(line)}\n`)
}

/** Prints names and values in two columns; skips rows without a value. */
export function printTable(rows: readonly (readonly [string, string | undefined])[]): void {
  const known = rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
  const width = Math.max(0, ...known.map(([name]) => name.length))
  for (const [name, value] of known) printLine(`${name.padEnd(width)}  ${value}`)
}
