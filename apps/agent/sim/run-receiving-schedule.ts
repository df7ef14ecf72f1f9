import { seededRandom } from '@smsgw/virtual-modem/random'
import { ReceiverFixture } from '../src/testing/receiver-fixture.ts'

/**
 * Runs one schedule. Messages with one part and long messages arrive in random order, some of them twice. Meanwhile the
 * agent is killed at random moments, and reads its SIM again after each start. At the end, each message must have been
 * reported exactly once.
 */
export async function runReceivingSchedule(seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const world = new ReceiverFixture(() => random.next())
  const expected: string[] = []
  const later: string[] = []
  const steps = 10 + random.integer(30)
  for (let step = 0; step < steps; step += 1) {
    const what = random.next()
    if (what < 0.6) {
      const text = `${seed}-${step} ${'long '.repeat(random.next() < 0.5 ? 0 : 30 + random.integer(60))}`
      expected.push(text)
      const pdus = [...world.text(text, { reference: step % 256, atMs: world.clock.epochMs() })]
      // PDUs arrive in random order. Some arrive twice, as if the network had missed the acknowledgement.
      while (pdus.length > 0) {
        const [pdu] = pdus.splice(random.integer(pdus.length), 1) as [string]
        world.deliver(pdu)
        if (random.next() < 0.15) later.push(pdu)
        await world.pass(random.integer(200))
      }
    } else if (what < 0.8) {
      world.kill()
      await world.pass(random.integer(60_000))
      await world.start()
    } else if (what < 0.85) {
      world.disk.isFull = true
      world.clock.after(random.integer(120_000), () => {
        world.disk.isFull = false
      })
    } else if (what < 0.9) {
      world.simGone()
      world.clock.after(random.integer(60_000), () => world.simReady())
    } else if (later.length > 0) {
      await againLater(world, later)
    }
    await world.pass(random.next() < 0.5 ? random.integer(20) : random.integer(30_000))
  }
  await world.pass(10 * 60_000)
  const reported = (await world.received()).map((event) => (event.type === 'SMS' ? event.text : event.type))
  const ids = (await world.received()).map(({ id }) => id)
  const problems = expected.flatMap((text) => {
    const times = reported.filter((each) => each === text).length
    return times === 1 ? [] : [`${text.slice(0, 12)} was reported ${times} times`]
  })
  if (reported.length !== expected.length) problems.push(`${reported.length} reported, ${expected.length} arrived`)
  if (new Set(ids).size !== ids.length) problems.push('two events have the same id')
  if (world.storage.size > 0) problems.push(`${world.storage.size} messages are still on the SIM`)
  world.kill()
  world.disk.close()
  return problems
}

/** Delivers a message again, after the time for which the network waits for an acknowledgement. */
async function againLater(world: ReceiverFixture, later: string[]): Promise<void> {
  await world.pass(12_000)
  const pdu = later.shift()
  // Skips a PDU if an unread copy of it is still stored, because two such copies count as two messages: see `identify`.
  if (pdu !== undefined && ![...world.storage.values()].includes(pdu)) world.deliver(pdu)
}
