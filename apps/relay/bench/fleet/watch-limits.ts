import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Pool } from 'pg'

const SAMPLE_MS = 50

/**
 * Watches what limits a load: the cores that the relays, PostgreSQL, this process and all processes of the machine use,
 * and what the busy sessions of PostgreSQL wait for. Returns a function that stops the watch and describes the result.
 */
export async function watchLimits(pool: Pool, relays: readonly number[]): Promise<() => Promise<string>> {
  const postmaster = await findPostmaster(pool)
  const waits = new Map<string, number>()
  let isWatching = true
  const sampling = (async () => {
    while (isWatching) {
      const { rows } = await pool.query<{ wait: string; count: number }>(WAITS)
      for (const { wait, count } of rows) waits.set(wait, (waits.get(wait) ?? 0) + count)
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    }
  })()
  const seconds = () => ({
    relays: relays.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    PostgreSQL: postgresSeconds(postmaster),
    client: cpuSeconds(process.pid),
    'all processes': machineSeconds(),
  })
  const [before, startedMs] = [seconds(), performance.now()]
  return async () => {
    const elapsed = (performance.now() - startedMs) / 1_000
    const after = seconds()
    isWatching = false
    await sampling
    const cores = (Object.keys(before) as (keyof typeof before)[]).map(
      (name) => `${name} ${((after[name] - before[name]) / elapsed).toFixed(1)}`,
    )
    const total = [...waits.values()].reduce((sum, count) => sum + count, 0)
    const most = [...waits].toSorted(([, one], [, other]) => other - one).slice(0, 3)
    const shares = most.map(([wait, count]) => `${wait} ${Math.round((count / total) * 100)} %`)
    return `cores used of ${cpus().length}: ${cores.join(', ')}; busy sessions: ${shares.join(', ') || 'none'}`
  }
}

/** A session that waits for nothing uses the CPU, or waits for it. */
const WAITS = `
  SELECT coalesce(wait_event_type || ' ' || wait_event, 'CPU') AS wait, count(*)::int AS count FROM pg_stat_activity
  WHERE state = 'active' AND pid <> pg_backend_pid() GROUP BY 1`

async function findPostmaster(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return Number(statOf(rows[0]?.pid ?? 0)?.[1])
}

/** Includes the sessions that have ended. */
export function postgresSeconds(postmaster: number): number {
  const sessions = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(postmaster))
  const ended = statOf(postmaster)
  const ofEnded = (Number(ended?.[13]) + Number(ended?.[14])) / 100
  return cpuSeconds(postmaster) + ofEnded + sessions.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

/** Returns the CPU time in user and kernel mode. A tick is 1/100 s. */
export function cpuSeconds(pid: number | string): number {
  const fields = statOf(pid)
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) / 100
}

/** Returns the fields of `/proc/<pid>/stat` after the name of the program, or undefined if the process has ended. */
function statOf(pid: number | string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function machineSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000, 0)
}
