/**
 * A place among the events of a database: its number, and which database. After a restore from a backup the numbers of
 * what came later are given a second time.
 */
export function eventCursor(streamId: string, place: bigint): string {
  return `${streamId.slice(0, LENGTH)}.${place}`
}

/** Undefined: it is none of this database. */
export function placeOfCursor(streamId: string, cursor: string): bigint | undefined {
  const [, number] = /^[\w-]+\.(\d{1,18})$/.exec(cursor) ?? []
  return number !== undefined && cursor.startsWith(`${streamId.slice(0, LENGTH)}.`) ? BigInt(number) : undefined
}

const LENGTH = 8
