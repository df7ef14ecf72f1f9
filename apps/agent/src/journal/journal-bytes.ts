import { statSync } from 'node:fs'

/** What it takes on its disk, with what was written last and lies beside it. */
export function journalBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}
