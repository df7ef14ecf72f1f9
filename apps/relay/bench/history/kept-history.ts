// A filled database that several runs of a bench use.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchSecrets, fromCwd, newSecrets } from '../bench-relays.ts'
import type { HistoryList } from './fill-lists.ts'

export interface HistorySizes {
  readonly lists: readonly HistoryList[]
  /** The number of rows of each list. */
  readonly rows: number
}

export interface KeptHistory {
  readonly databaseFolder: string
  readonly secrets: BenchSecrets
  readonly isFilled: boolean
  /** Writes the sizes and secrets next to the filled database, so that later runs use it again. */
  recordFilled(): void
}

interface Recorded extends HistorySizes {
  readonly secrets: BenchSecrets
}

/** Opens a folder that is empty, or has a database with these sizes. */
export function openKeptHistory(given: string, sizes: HistorySizes): KeptHistory {
  const folder = fromCwd(given)
  const file = join(folder, 'history.json')
  const databaseFolder = join(folder, 'database')
  const recorded: Recorded | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  if (recorded === undefined) {
    mkdirSync(folder, { recursive: true })
    if (readdirSync(folder).length > 0)
      throw new Error(`--keep ${folder}: has files but no complete history: delete them, or use another folder`)
  } else {
    const [wanted, found] = [describe(sizes), describe(recorded)]
    if (wanted !== found) throw new Error(`--keep ${folder}: has ${found}, not ${wanted}: use another folder or sizes`)
    requireStopped(databaseFolder)
  }
  const secrets = recorded?.secrets ?? newSecrets()
  return {
    databaseFolder,
    secrets,
    isFilled: recorded !== undefined,
    recordFilled: () => writeFileSync(file, JSON.stringify({ ...sizes, secrets } satisfies Recorded), { mode: 0o600 }),
  }
}

function describe({ lists, rows }: HistorySizes): string {
  return `${rows} rows of ${lists.toSorted().join(', ')}`
}

function requireStopped(databaseFolder: string): void {
  const file = join(databaseFolder, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  try {
    process.kill(pid, 0)
  } catch {
    return // PostgreSQL was killed, and recovers at its next start
  }
  throw new Error(`${databaseFolder} is in use by process ${pid}: stop it first`)
}
