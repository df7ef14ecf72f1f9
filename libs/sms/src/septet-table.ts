/**
 * A table of 128 septets as 23.038 prints it: eight columns (b7 b6 b5) of sixteen cells (b4 to b1), here one string for
 * each column with its cells from top to bottom. A cell is a character that stands for itself, a code point in
 * four hexadecimal digits (scripts whose letters an editor would join, stack or reorder), or one of `SP LF FF CR ESC`.
 * `--` is a septet that the table leaves without a character.
 */
export type SeptetTable = readonly [string, string, string, string, string, string, string, string]

/** Marks a septet without a character; U+0000 is in none of the tables. */
export const noCharacter = 0

const namedCells: Readonly<Record<string, number>> = {
  '--': noCharacter,
  SP: 0x20,
  LF: 0x0a,
  FF: 0x0c,
  CR: 0x0d,
  ESC: 0x1b,
}

/** The UTF-16 unit of every septet. No table holds a character above U+FFFF, so one unit is one character. */
export function unitsOfSeptetTable(table: SeptetTable): Uint16Array {
  const cells = table.flatMap((column) => column.split(' '))
  return Uint16Array.from(cells, unitOfCell)
}

function unitOfCell(cell: string): number {
  if (cell.length === 1) return cell.charCodeAt(0)
  return namedCells[cell] ?? Number.parseInt(cell, 16)
}
