import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { type ActiveSim, type SimListener, SimPresence } from './sim-presence.ts'

const sim = { simNumber: 1, iccid: '8944110000000000015' } as ActiveSim

function observed() {
  const calls: string[] = []
  const ages: (number | undefined)[] = []
  const clock = new ManualClock()
  const listener: SimListener = {
    onReadable: ({ iccid }) => calls.push(`readable ${iccid}`),
    onUnreadable: ({ iccid }) => calls.push(`unreadable ${iccid}`),
    onSending: () => calls.push('sending'),
    onNotSending: () => calls.push('not sending'),
    onIncoming: ({ iccid }, { pdu }, ageMs) => {
      calls.push(`${pdu} of ${iccid}`)
      ages.push(ageMs)
    },
  }
  const presence = new SimPresence({ listener, clock }, () => true)
  return { calls, ages, clock, presence }
}

/** A message that the modem delivered directly. */
const direct = (pdu: string): Incoming => ({
  kind: 'unreadable',
  source: { kind: 'direct', acknowledge: false },
  pdu,
  why: 'for this test',
})

test('keeps messages that the modem delivers during setup until the SIM is known', () => {
  const { calls, presence } = observed()
  presence.receive(direct('one'))
  presence.receive(direct('two'))
  expect(calls).toEqual([])
  presence.enter(sim, { name: 'registering' })
  expect(calls).toEqual([`readable ${sim.iccid}`, `one of ${sim.iccid}`, `two of ${sim.iccid}`])
  presence.receive(direct('three'))
  expect(calls.at(-1)).toBe(`three of ${sim.iccid}`)
})

test('keeps messages that the modem delivers while it is set up again, and passes on each message once', () => {
  const { calls, presence } = observed()
  presence.enter(sim, { name: 'registering' })
  presence.update({ name: 'probing' })
  presence.receive(direct('one'))
  expect(calls.at(-1)).toBe(`unreadable ${sim.iccid}`)
  presence.enter(sim, { name: 'registering' })
  presence.enter(sim, { name: 'registering' })
  expect(calls.filter((call) => call === `one of ${sim.iccid}`)).toHaveLength(1)
})

test('tells how long ago each message arrived that was kept', async () => {
  const { ages, clock, presence } = observed()
  presence.receive(direct('one'))
  await clock.advance(20_000)
  presence.receive(direct('one'))
  await clock.advance(5_000)
  presence.enter(sim, { name: 'registering' })
  presence.receive(direct('two'))
  expect(ages).toEqual([25_000, 5_000, undefined])
})
