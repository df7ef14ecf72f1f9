/**
 * A table of 128 septets as printed in 23.038: eight columns (b7 b6 b5) of sixteen cells (b4 to b1). Each string is a
 * column with its cells from top to bottom. A cell is a character, a code point in four hexadecimal digits (for scripts
 * whose letters an editor would join, stack or reorder), or one of `SP LF FF CR ESC`.
 * `--` is a septet without a character.
 */
export type SeptetTable = readonly [string, string, string, string, string, string, string, string]

/** The tables of one language (23.038 §A). */
export interface NationalLanguageTables {
  readonly name: string
  /** Replaces the default alphabet for a whole message. */
  readonly locking?: SeptetTable
  /** Replaces the default extension table, for one septet after an escape. */
  readonly single: SeptetTable
}

/** Marks a septet without a character; no table contains U+0000. */
export const noCharacter = 0

const namedCells: Readonly<Record<string, number>> = {
  '--': noCharacter,
  SP: 0x20,
  LF: 0x0a,
  FF: 0x0c,
  CR: 0x0d,
  ESC: 0x1b,
}

/** Returns the UTF-16 unit of every septet. No table has a character above U+FFFF, so one unit is one character. */
export function unitsOfSeptetTable(table: SeptetTable): Uint16Array {
  const cells = table.flatMap((column) => column.split(' '))
  return Uint16Array.from(cells, unitOfCell)
}

function unitOfCell(cell: string): number {
  if (cell.length === 1) return cell.charCodeAt(0)
  return namedCells[cell] ?? Number.parseInt(cell, 16)
}
