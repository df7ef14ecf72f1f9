import { expect, test } from 'vitest'
import type { LinkSchedule, LostFrame } from '../sim/schedule.ts'
import { LinkWorld } from '../sim/world.ts'

const handshake: readonly LostFrame[] = ['challenge', 'hello', 'welcome']
const twice = handshake.flatMap((first) => handshake.map((second) => [first, second] as const))

test.each(handshake)('an agent is online at most 10 s after a %s was lost', (frame) => {
  for (let seed = 1; seed <= 200; seed += 1) expect(backAfterMs(seed, [frame]), `seed ${seed}`).toBeLessThan(10_000)
})

// The limit includes a tolerance, because the clocks of the simulation differ by up to 30 percent.
test.each(twice)('an agent is online at most 25 s after a %s and then a %s were lost', (...lost) => {
  for (let seed = 1; seed <= 200; seed += 1) expect(backAfterMs(seed, lost), `seed ${seed}`).toBeLessThan(25_000)
})

/** Returns the time from the last lost frame until the agent is online. */
function backAfterMs(seed: number, lost: readonly LostFrame[]): number {
  const schedule: LinkSchedule = {
    seed,
    story: 'plain',
    relays: 1,
    actions: [],
    crashes: { agent: undefined, relay: undefined },
    hasSlowDisks: false,
    endMs: 0,
  }
  const world = new LinkWorld(schedule, false)
  const { time } = world
  world.repair()
  for (const frame of lost) world.lose(frame)
  time.pass(100_000, () => world.framesToLose === 0)
  const lostAtMs = time.nowMs
  time.pass(100_000, () => world.agents[0]?.state.phase.kind === 'online')
  return time.nowMs - lostAtMs
}
