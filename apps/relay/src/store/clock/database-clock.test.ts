import { afterEach, beforeEach, expect, test } from 'vitest'
import { DatabaseClock } from './database-clock.ts'

const noon = Date.UTC(2026, 2, 1, 12)
const HOUR = 3_600_000

let monotonicMs: number
/** The difference between the database's clock and the monotonic clock. */
let databaseMs: number
let tripMs: number
let read: () => Promise<number>
let warned: string[]
let clock: DatabaseClock

beforeEach(async () => {
  monotonicMs = 5_000
  databaseMs = noon - monotonicMs
  tripMs = 0
  warned = []
  read = async () => {
    const readMs = databaseMs + monotonicMs + tripMs / 2
    monotonicMs += tripMs
    return readMs
  }
  const log = { warn: (line: string) => void warned.push(line) } as never
  clock = await DatabaseClock.start({ readMs: () => read(), monotonicMs: () => monotonicMs, log })
})

afterEach(() => clock.stop())

test('follows the monotonic clock between readings of the database', () => {
  expect(clock.now().getTime()).toBe(noon)
  monotonicMs += 700
  expect(clock.now().getTime()).toBe(noon + 700)
})

test.each([HOUR, -HOUR, 24 * HOUR, -24 * HOUR])(
  'follows a database clock that jumps by %d ms and reports the jump once',
  async (byMs) => {
    const jumps: number[] = []
    clock.onJump = async (one) => void jumps.push(one)
    databaseMs += byMs
    await clock.look()
    await clock.look()
    expect(clock.now().getTime()).toBe(noon + byMs)
    expect(jumps).toEqual([byMs])
    expect(warned).toHaveLength(1)
  },
)

test('follows a second jump while a slow database handles the first', async () => {
  const first = Promise.withResolvers<void>()
  const jumps: number[] = []
  clock.onJump = (one) => {
    jumps.push(one)
    return jumps.length === 1 ? first.promise : Promise.resolve()
  }
  databaseMs += HOUR
  const look = clock.look()
  await expect.poll(() => jumps).toHaveLength(1)
  databaseMs += HOUR
  await clock.look()
  expect(clock.now().getTime()).toBe(noon + 2 * HOUR)
  first.resolve()
  await look
  await clock.look()
  expect(jumps).toEqual([HOUR, HOUR])
})

test('reports a jump again until it is handled', async () => {
  const jumps: number[] = []
  clock.onJump = async () => Promise.reject(new Error('the database is gone'))
  databaseMs -= HOUR
  await clock.look()
  clock.onJump = async (one) => void jumps.push(one)
  await clock.look()
  await clock.look()
  expect(jumps).toEqual([-HOUR])
})

test('a slow answer does not move the clock', async () => {
  const jumps: number[] = []
  clock.onJump = async (one) => void jumps.push(one)
  tripMs = 4_000
  databaseMs -= 1_500
  await clock.look()
  expect(clock.now().getTime()).toBe(noon + 4_000)
  expect(jumps).toEqual([])
})

test.each([0, 1])(
  'corrects a first reading that took 8 s without reporting a jump, if the clock was read after %d of the 8 s',
  async (share) => {
    const jumps: number[] = []
    const readMs = async () => {
      monotonicMs += tripMs * share
      const readAtMs = databaseMs + monotonicMs
      monotonicMs += tripMs * (1 - share)
      return readAtMs
    }
    tripMs = 8_000
    clock.stop()
    clock = await DatabaseClock.start({
      readMs,
      monotonicMs: () => monotonicMs,
      log: { warn: (line: string) => void warned.push(line) } as never,
    })
    clock.onJump = async (one) => void jumps.push(one)
    tripMs = 10
    await clock.look()
    expect(Math.abs(clock.now().getTime() - databaseMs - monotonicMs)).toBeLessThanOrEqual(5)
    databaseMs -= HOUR
    await clock.look()
    expect(jumps).toEqual([expect.closeTo(-HOUR, -2)])
    expect(warned).toHaveLength(1)
  },
)

test('follows the monotonic clock while the database is unavailable', async () => {
  read = () => Promise.reject(new Error('the database is gone'))
  monotonicMs += 60_000
  await clock.look()
  expect(clock.now().getTime()).toBe(noon + 60_000)
})

test('reports a jump after a slow first reading that a better reading confirmed', async () => {
  clock.stop()
  tripMs = 10_000
  const log = { warn: (line: string) => void warned.push(line) } as never
  clock = await DatabaseClock.start({ readMs: () => read(), monotonicMs: () => monotonicMs, log })
  const jumps: number[] = []
  clock.onJump = async (one) => void jumps.push(one)
  tripMs = 2
  await clock.look()
  databaseMs += 3_000
  await clock.look()
  expect(jumps).toEqual([3_000])
  expect(warned).toEqual(['database clock moved forward by 3 s'])
})
