import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, expect, test, vi } from 'vitest'
import { testDatabase } from '../testing/test-database.ts'
import { type PeriodicJob, type PeriodicJobs, runPeriodicJobs } from './run-periodic-jobs.ts'

const SOON = 0.01
/** The time limit is long enough for a busy machine. */
const BUSY = { timeout: 90_000 }
let log: string[] = []
const running: PeriodicJobs[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((periodic) => periodic.stop()))
  log = []
})

test('repeats each job, and stops after the current run', async () => {
  const { url, close } = await testDatabase()
  let runs = 0
  let finished = 0
  const periodic = start(url, {
    name: 'count',
    everySeconds: SOON,
    run: async () => {
      runs += 1
      await new Promise((resolve) => setImmediate(resolve))
      finished += 1
    },
  })
  await vi.waitUntil(() => runs >= 3, BUSY)
  await periodic.stop()
  expect(finished).toBe(runs)
  await close()
})

test('two relays never run the same job at once, and other jobs are not delayed', async () => {
  const { url, close } = await testDatabase()
  let inside = 0
  let most = 0
  let others = 0
  let runs = 0
  const work: PeriodicJob = {
    name: 'alone',
    everySeconds: SOON,
    run: async (stopping) => {
      inside += 1
      most = Math.max(most, inside)
      // After the stop, the other job does not run again.
      await vi.waitUntil(() => others > runs || stopping?.aborted, BUSY)
      inside -= 1
      runs += 1
    },
  }
  const other: PeriodicJob = { name: 'other', everySeconds: SOON, run: async () => (others += 1) }
  const replicas = [start(url, work, other), start(url, work, other)]
  await vi.waitUntil(() => runs >= 5, BUSY)
  await Promise.all(replicas.map((replica) => replica.stop()))
  expect(most).toBe(1)
  await close()
})

test('a job runs only while it is needed', async () => {
  const { url, close } = await testDatabase()
  let asked = 0
  let work = 0
  let runs = 0
  const periodic = start(url, {
    name: 'rarely needed',
    everySeconds: SOON,
    isNeeded: async () => {
      asked += 1
      return work > 0
    },
    run: async () => {
      work -= 1
      runs += 1
    },
  })
  await vi.waitUntil(() => asked >= 3, BUSY)
  expect(runs).toBe(0)
  work = 2
  await vi.waitUntil(() => asked >= 20, BUSY)
  await periodic.stop()
  expect(runs).toBe(2)
  await close()
})

test('a failed job is logged and tried again, and the other jobs continue', async () => {
  const { url, close } = await testDatabase()
  let runs = 0
  let neighbours = 0
  const failing: PeriodicJob = {
    name: 'failing',
    everySeconds: SOON,
    run: async () => {
      runs += 1
      throw new Error('boom')
    },
  }
  const neighbour: PeriodicJob = { name: 'neighbour', everySeconds: SOON, run: async () => (neighbours += 1) }
  const periodic = start(url, failing, neighbour)
  await vi.waitUntil(() => runs >= 2 && neighbours >= 2, BUSY)
  await periodic.stop()
  expect(log.join('')).toContain('boom')
  await close()
})

test('while the disk is full, one line says that jobs are paused, although other jobs succeed', async () => {
  const { url, close } = await testDatabase()
  let isFull = true
  let refused = 0
  let reads = 0
  const writing: PeriodicJob = {
    name: 'writing',
    everySeconds: SOON,
    run: async () => {
      if (!isFull) return
      refused += 1
      throw Object.assign(new Error('No space left on device'), { code: '53100' })
    },
  }
  const reading: PeriodicJob = { name: 'reading', everySeconds: SOON, run: async () => (reads += 1) }
  const periodic = start(url, writing, reading)
  await vi.waitUntil(() => refused >= 5 && reads >= 5, BUSY)
  expect(linesWith('paused')).toBe(1)
  expect(linesWith('resumed')).toBe(0)
  isFull = false
  await vi.waitUntil(() => linesWith('resumed') === 1, BUSY)
  await periodic.stop()
  expect([linesWith('paused'), linesWith('resumed')]).toEqual([1, 1])
  await close()
})

test('a job that fails once and does not run again for a long time does not hide the next outage', async () => {
  const { url, close } = await testDatabase()
  const unavailable = (message: string, code: string) => Object.assign(new Error(message), { code })
  let hasFailed = false
  const rare: PeriodicJob = {
    name: 'rare',
    everySeconds: SOON,
    run: async (stopping) => {
      if (hasFailed) return await new Promise((end) => stopping?.addEventListener('abort', end))
      hasFailed = true
      throw unavailable('canceling statement due to statement timeout', '57014')
    },
  }
  let isOutage = false
  const frequent: PeriodicJob = {
    name: 'frequent',
    everySeconds: SOON,
    run: async () => {
      if (isOutage) throw unavailable('terminating connection', '57P01')
    },
  }
  const periodic = start(url, rare, frequent)
  await vi.waitUntil(() => hasFailed && linesWith('resumed') === 1, BUSY)
  isOutage = true
  await vi.waitUntil(() => linesWith('paused') === 2, BUSY)
  isOutage = false
  await vi.waitUntil(() => linesWith('resumed') === 2, BUSY)
  await periodic.stop()
  await close()
})

test('continues automatically after its connection is lost, even during a run', async () => {
  const { url, database, close } = await testDatabase()
  let runs = 0
  const cut = () =>
    database.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'smsgw periodic work'`
  const periodic = start(url, {
    name: 'cut',
    everySeconds: SOON,
    run: async () => {
      runs += 1
      if (runs === 2) await cut()
    },
  })
  await vi.waitUntil(() => runs >= 4, BUSY)
  await cut()
  const before = runs
  await vi.waitUntil(() => runs >= before + 2, BUSY)
  await periodic.stop()
  expect(log.join('')).toContain('database unavailable')
  await close()
})

test('many jobs at once share a connection that runs one query at a time', async () => {
  const { url, close } = await testDatabase()
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.message)
  process.on('warning', note)
  let runs = 0
  const works = ['one', 'two', 'three', 'four'].map((name) => ({
    name,
    everySeconds: SOON,
    run: async () => (runs += 1),
  }))
  const periodic = start(url, ...works)
  await vi.waitUntil(() => runs >= 20, BUSY)
  await periodic.stop()
  process.off('warning', note)
  expect(warnings).toEqual([])
  await close()
})

function linesWith(word: string): number {
  return log.filter((line) => line.includes(word)).length
}

function start(url: string, ...works: PeriodicJob[]): PeriodicJobs {
  const periodic = runPeriodicJobs({ url, log: openLog('debug', { write: (line: string) => log.push(line) }) }, works)
  running.push(periodic)
  return periodic
}
