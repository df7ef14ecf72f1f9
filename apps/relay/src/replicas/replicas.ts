import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import { Counter, Gauge, type Registry } from 'prom-client'
import { readDatabaseAddress } from '../store/connection/database-address.ts'
import type { Database } from '../store/database.ts'
import { Replica } from './replica.ts'
import { writeBeat } from './write-beat-statement.ts'

export interface ReplicasOptions {
  /** DATABASE_REPLICA_URL, which may name several servers. */
  readonly url: string | undefined
  /** Size of the pool for each server. */
  readonly connections: number
  /** The id of the history of the database. */
  readonly streamId: string
  /** The primary. */
  readonly database: Database
  readonly log: Log
  readonly registry: Registry
}

/** Data that a replica has read, and how old the data was at most, in milliseconds. */
export interface StaleResult<Result> {
  readonly result: Result
  readonly ageMs: number
}

/**
 * The read replicas of the database. As long as there are any, writes a time to the primary every second. A replica
 * that shows this time has all changes before it. So the age of its data is known even if the replica is paused, cut
 * off, or follows a primary that was replaced.
 */
export class Replicas {
  readonly all: readonly Replica[]
  readonly #database: Database
  readonly #stopping = new AbortController()
  readonly #beating: Promise<void> | undefined
  readonly #reads: Counter<'result'>
  /** The time of the primary, and the time of this process's own clock at which it was at least that late. */
  #beat: { readonly primaryMs: number; readonly atMs: number } | undefined
  #turn = 0

  constructor({ url, connections, streamId, database, log, registry }: ReplicasOptions) {
    this.#database = database
    const urls = url === undefined ? [] : readDatabaseAddress(url).urls
    this.all = urls.map(
      (one) =>
        new Replica({
          url: one,
          connections,
          streamId,
          primaryMs: () => this.#primaryMs(),
          onLost: (server, err) => log.warn({ server, err }, 'read replica unavailable, the primary answers'),
          onBack: (server) => log.info({ server }, 'read replica available again'),
        }),
    )
    this.#reads = replicaMetrics(registry, this.all)
    if (this.all.length > 0) this.#beating = this.#keepBeating()
  }

  /**
   * Lets a replica do the work if the age of its data is at most the given age. Returns undefined if the primary must
   * do it. The work must not write. `isComplete` tells whether the result can be used.
   */
  async read<Result>(
    mostAgeMs: number,
    work: (replica: Replica) => Promise<Result>,
    isComplete: (result: Result) => boolean,
  ): Promise<StaleResult<Result> | undefined> {
    const startMs = performance.now()
    const known = this.all.filter((replica) => replica.ageMs() !== undefined)
    const fresh = known.filter((replica) => (replica.ageMs() ?? Infinity) <= mostAgeMs)
    const replica = fresh[this.#turn++ % fresh.length]
    const ageMs = replica?.ageMs()
    if (replica === undefined || ageMs === undefined) {
      if (this.all.length > 0) this.#reads.inc({ result: known.length > 0 ? 'behind' : 'unavailable' })
      return undefined
    }
    try {
      const result = await replica.during(() => work(replica))
      const isUsed = isComplete(result)
      this.#reads.inc({ result: isUsed ? 'replica' : 'incomplete' })
      return isUsed ? { result, ageMs: ageMs + performance.now() - startMs } : undefined
    } catch {
      // The primary repeats the work. If the error has nothing to do with the replica, it occurs there as well.
      this.#reads.inc({ result: 'failed' })
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#beating, ...this.all.map((replica) => replica.close())])
  }

  async #keepBeating(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      // If the answer takes long, the primary is already later than the time that it returns, so the age of the
      // replicas is never estimated too low.
      const atMs = performance.now()
      // While the primary is away, the age of the data grows, until the replicas are too far behind for each caller.
      await writeBeat(this.#database).then(
        (primaryMs) => {
          this.#beat = { primaryMs, atMs }
        },
        () => undefined,
      )
      await sleep(BEAT_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  #primaryMs(): number | undefined {
    return this.#beat && this.#beat.primaryMs + performance.now() - this.#beat.atMs
  }
}

const BEAT_MS = 1_000

function replicaMetrics(registry: Registry, replicas: readonly Replica[]): Counter<'result'> {
  new Gauge({
    name: 'smsgw_replica_age_seconds',
    help: 'How old the data of each read replica is at most; NaN while the replica is unavailable',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      for (const replica of replicas) this.set({ server: replica.server }, (replica.ageMs() ?? Number.NaN) / 1000)
    },
  })
  return new Counter({
    name: 'smsgw_replica_reads_total',
    help:
      'Requests that allow stale data, by result: replica (served by a replica), or why the primary served them: behind, unavailable, ' +
      'failed, incomplete (the replica does not have the data)',
    labelNames: ['result'],
    registers: [registry],
  })
}
