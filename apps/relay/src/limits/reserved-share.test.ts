import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Random } from '../random.ts'
import { ReservedShare } from './reserved-share.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const share = (seed = 'seed') => new ReservedShare(seeded(seed))
const stranger = (name: string) => ({ name, isRecognised: false })
const owner = { name: 'owner', isRecognised: true }

test('accepts four attempts of a group per second', async () => {
  const turns = share()
  const results = Array.from({ length: 10 }, (_, index) => turns.turn('here', stranger(`name ${index}`)))
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await Promise.all(results)).filter(Boolean)).toHaveLength(4)
  expect(vi.getTimerCount()).toBe(0)
})

test('prefers a name without an accepted attempt to names with an accepted attempt', async () => {
  const turns = share()
  for (let round = 0; round < 3; round++) {
    const results = ['a', 'b', 'c'].map((name) => turns.turn('here', stranger(name)))
    await vi.advanceTimersByTimeAsync(1_000)
    await Promise.all(results)
  }
  const others = ['a', 'b', 'c'].map((name) => turns.turn('here', stranger(name)))
  const newcomer = turns.turn('here', stranger('newcomer'))
  await vi.advanceTimersByTimeAsync(250)
  expect(await newcomer).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(others)
})

test('only one of many attempts with one name waits, and it is chosen at random', async () => {
  const wins = await countWins(200, async (seed) => {
    const turns = share(seed)
    const attempts = Array.from({ length: 10 }, () => turns.turn('here', stranger('a')))
    await vi.advanceTimersByTimeAsync(250)
    const results = await Promise.all(attempts)
    expect(results.filter(Boolean)).toHaveLength(1)
    return results.indexOf(true) === 4
  })
  expect(wins).toBeGreaterThan(5)
  expect(wins).toBeLessThan(60)
})

describe('a flood of new names, 500 per second', () => {
  test('accepts a recognised name within half a second', async () => {
    const wins = await countWins(20, (seed) => attemptInFlood(share(seed), owner, 500))
    expect(wins).toBe(20)
  })

  test('accepts each of ten recognised names within five seconds', async () => {
    const turns = share()
    const names = Array.from({ length: 10 }, (_, index) => `owner ${index}`)
    const served = new Set<string>()
    for (let second = 0; second < 5; second++) {
      const waiting = names.filter((name) => !served.has(name))
      const attempts = waiting.map((name) => turns.turn('here', { name, isRecognised: true }))
      await flood(turns, `second ${second}`, 1_000)
      for (const [index, hasTurn] of (await Promise.all(attempts)).entries())
        if (hasTurn) served.add(waiting[index] ?? '')
    }
    expect(served.size).toBe(10)
  })

  test('gives a name that is not recognised the same chance as any other name', async () => {
    // The flood has 125 names for each attempt that is accepted, so an attempt in it succeeds about once in a hundred
    // times. Its position in the flood makes no difference.
    const wins = await countWins(400, (seed) => attemptInFlood(share(seed), stranger('owner'), 1_000))
    expect(wins).toBeGreaterThan(0)
    expect(wins).toBeLessThan(40)
  })

  test('accepts a name again that was accepted half a minute ago', async () => {
    const wins = await countWins(200, async (seed) => {
      const turns = share(seed)
      const first = turns.turn('here', stranger('owner'))
      await vi.advanceTimersByTimeAsync(30_250)
      expect(await first).toBe(true)
      const again = turns.turn('here', stranger('owner'))
      const others = [1, 2, 3].map((index) => turns.turn('here', stranger(`new ${index}`)))
      await vi.advanceTimersByTimeAsync(250)
      const hasTurn = await Promise.race([again, Promise.resolve(false)])
      await vi.advanceTimersByTimeAsync(1_000)
      await Promise.all(others)
      return hasTurn
    })
    expect(wins).toBeGreaterThan(20)
  })
})

test('a thousand flooded addresses do not reduce the accepted attempts of the next address', async () => {
  const turns = share()
  for (let index = 0; index < 1_000; index++) void turns.turn(`address ${index}`, stranger('a'))
  const attempt = turns.turn('home', stranger('owner'))
  await vi.advanceTimersByTimeAsync(250)
  expect(await attempt).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

/**
 * Makes one attempt during a flood that has already filled all waiting slots. Returns true if the attempt was accepted
 * in time.
 */
async function attemptInFlood(turns: ReservedShare, attempt: typeof owner, withinMs: number): Promise<boolean> {
  await flood(turns, 'before', 500)
  const result = turns.turn('here', attempt)
  await flood(turns, 'after', withinMs)
  const hadTurn = await Promise.race([result, Promise.resolve(false)])
  await vi.advanceTimersByTimeAsync(1_250)
  return hadTurn
}

async function flood(turns: ReservedShare, prefix: string, durationMs: number): Promise<void> {
  for (let index = 0; index < durationMs / 2; index++) {
    void turns.turn('here', stranger(`${prefix} ${index}`))
    await vi.advanceTimersByTimeAsync(2)
  }
}

async function countWins(times: number, attempt: (seed: string) => Promise<boolean>): Promise<number> {
  let wins = 0
  for (let seed = 0; seed < times; seed++) if (await attempt(`seed ${seed}`)) wins += 1
  return wins
}

function seeded(seed: string): Random {
  let drawn = 0
  return { bytes: (count) => createHash('sha256').update(`${seed} ${drawn++}`).digest().subarray(0, count) }
}
