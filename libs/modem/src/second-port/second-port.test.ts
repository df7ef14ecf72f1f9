import { generic } from '@smsgw/virtual-modem/personalities/generic'
import { describe, expect, test } from 'vitest'
import { type TwoPortOptions, TwoPortRig } from '../../sim/two-port-rig.ts'

const telit = { ...generic, identity: { ...generic.identity, manufacturer: 'Telit', model: 'LE910' } }

/** Simulates a modem that has lost the result of a message sent at time 0, and sends the next message. */
async function lostResult(options: TwoPortOptions, results = 0) {
  const rig = await new TwoPortRig(options).ready()
  for (let sent = 0; sent < results; sent += 1) {
    const earlier = rig.submit(`earlier ${sent}`)
    await rig.pass(10_000)
    expect(earlier.outcome?.kind).toBe('accepted')
  }
  rig.modem.faults.set('submit-answer-lost', { times: 1 })
  const atMs = rig.clock.nowMs()
  const lost = rig.submit('lost')
  const next = rig.submit('next')
  const afterMs = () => (next.endedAtMs === undefined ? undefined : next.endedAtMs - atMs)
  return { rig, lost, next, afterMs }
}

const questions = (written: readonly string[]) => written.filter((text) => /^AT[+](CMEE|CSCS)[?]/.test(text))

describe('a lost result', () => {
  test('a lost result delays the next message by less than 5 s on a modem that continues to send while it receives commands', async () => {
    const { rig, lost, next, afterMs } = await lostResult({})
    await rig.pass(30_000)
    expect(lost.outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
    expect(next.outcome).toMatchObject({ kind: 'accepted' })
    expect(afterMs()).toBeLessThan(5_000)
  })

  test.each([
    ['of an unknown vendor', generic],
    ['of Telit', telit],
  ])(
    'a lost result delays the next message by less than 5 s on a modem %s whose results took 3 s',
    async (_, personality) => {
      const { rig, lost, next, afterMs } = await lostResult({ personality, latencyMs: 3_000 }, 11)
      await rig.pass(60_000)
      expect(lost.outcome).toMatchObject({ kind: 'unknown', why: 'answer-lost' })
      expect(next.outcome).toMatchObject({ kind: 'accepted' })
      // Leaves out the 3 s that the next message itself takes.
      expect((afterMs() ?? 0) - 3_000).toBeLessThan(5_000)
    },
  )

  test.each(['none', 'second port'])(
    'a lost result is queried only after 45 s if the modem is new: %s',
    async (second) => {
      const { rig, lost } = await lostResult({ personality: telit, ...(second === 'none' && { second }) })
      const before = questions(rig.written[0]).length
      await rig.pass(44_000)
      expect(questions(rig.written[0])).toHaveLength(before)
      expect(lost.endedAtMs).toBeUndefined()
      await rig.pass(5_000)
      expect(lost.endedAtMs === undefined).toBe(second === 'none')
    },
  )
})

test('a result that is missing right after setup delays the next message by less than 5 s', async () => {
  const rig = new TwoPortRig()
  while (rig.runner.modem?.session === undefined) await rig.pass(1)
  rig.modem.faults.set('submit-answer-lost', { times: 1 })
  rig.submit('lost')
  const next = rig.submit('next')
  await rig.pass(6_000)
  expect(next.outcome).toMatchObject({ kind: 'accepted' })
})

test('a result of a modem with fast results is not queried before 4 s', async () => {
  const { rig } = await lostResult({ personality: generic, latencyMs: 0, cableMs: 0 }, 11)
  const before = questions(rig.written[0]).length
  await rig.pass(3_900)
  expect(questions(rig.written[0])).toHaveLength(before)
  await rig.pass(200)
  expect(questions(rig.written[0]).length).toBeGreaterThan(before)
})

test('the result of a slow modem is accepted, although the modem answers on its second port', async () => {
  const rig = await new TwoPortRig({ personality: generic, latencyMs: 30_000 }).ready()
  const slow = rig.submit('slow')
  await rig.pass(31_000)
  expect(slow.outcome).toMatchObject({ kind: 'accepted' })
})

describe('while the first port waits for a result', () => {
  const waiting = async (options: TwoPortOptions = {}) => {
    const rig = await new TwoPortRig({ personality: telit, ...options }).ready()
    rig.modem.faults.set('submit-answer-lost', { times: 1 })
    rig.submit('lost')
    await rig.pass(1_000)
    return rig
  }

  test.each([false, true])(
    'messages are read on the second port (with its own selected memory: %s)',
    async (ownMemories) => {
      const rig = await waiting({ ownMemories })
      const atMs = rig.clock.nowMs()
      rig.receive('hello')
      await rig.pass(5_000)
      expect(rig.read.map(({ text }) => text)).toEqual(['hello'])
      expect((rig.read[0]?.atMs ?? 0) - atMs).toBeLessThan(5_000)
    },
  )

  test('each message is read once, and deleted on the first port afterwards', async () => {
    const rig = await waiting()
    for (let sent = 0; sent < 5; sent += 1) {
      rig.receive(`text ${sent}`)
      await rig.pass(3_000)
    }
    expect(rig.read).toHaveLength(5)
    await rig.pass(120_000)
    expect(rig.read).toHaveLength(5)
    expect(rig.modem.snapshot().memories.every(({ used }) => used === 0)).toBe(true)
    expect(rig.written[1].filter((text) => /CMGD|CMGS|CNMI/.test(text))).toEqual([])
  })
})

test('messages are read on the second port while the first port hangs', async () => {
  const rig = await new TwoPortRig().ready()
  rig.modem.faults.set('modem-hang', { command: '+CSQ', times: 1 })
  void rig.runner.modem?.signal()
  await rig.pass(1_000)
  const atMs = rig.clock.nowMs()
  rig.receive('hello')
  await rig.pass(5_000)
  expect(rig.read.map(({ text }) => text)).toEqual(['hello'])
  expect((rig.read[0]?.atMs ?? 0) - atMs).toBeLessThan(5_000)
})

test('the driver sends no commands on the second port of an idle modem', async () => {
  const rig = await new TwoPortRig().ready()
  rig.written[1].length = 0
  await rig.pass(600_000)
  expect(rig.written[1]).toEqual([])
})

describe('a second port has no effect if it', () => {
  const seconds: readonly (readonly [string, TwoPortOptions['second']])[] = [
    ['is missing', 'none'],
    ['is silent', () => ''],
    ['answers OK to everything', () => '\r\nOK\r\n'],
    ['answers nonsense', () => '\r\n$GPGGA,1\r\n+CMGS: 7\r\n\r\nOK\r\n> \x00\xff'],
    ['repeats what is written', (written) => written],
    ['belongs to another modem', (written) => (/GSN/.test(written) ? '\r\n356938035643809\r\n\r\nOK\r\n' : undefined)],
  ]

  test.each(seconds)('%s', async (_, second) => {
    const { rig, lost, afterMs } = await lostResult({ ...(second !== undefined && { second }) })
    await rig.pass(19_000)
    expect(lost.endedAtMs).toBeUndefined()
    await rig.pass(10_000)
    expect(afterMs()).toBeGreaterThan(20_000)
    expect(rig.written[1].filter((text) => /CMGD|CMGS|CNMI=|CPMS=|CMGL/.test(text))).toEqual([])
  })

  test('a second port has no effect if it stops answering while it is used', async () => {
    let isSilent = false
    const { rig, lost, next } = await lostResult({ second: () => (isSilent ? '' : undefined) })
    isSilent = true
    await rig.pass(19_000)
    expect(lost.endedAtMs).toBeUndefined()
    await rig.pass(10_000)
    expect(next.outcome).toMatchObject({ kind: 'accepted' })
  })
})

test('a report that the modem sends on both ports is reported once', async () => {
  const rig = await new TwoPortRig().ready()
  for (const terminal of [0, 1]) rig.modem.receive(Uint8Array.from(Buffer.from('AT+CNMI=2,2,0,1,0\r')), terminal)
  await rig.pass(1_000)
  rig.receive('hello')
  await rig.pass(10_000)
  expect(rig.read.map(({ text }) => text)).toEqual(['hello'])
})

test.each([
  ['of the same modem is received once', (rig: TwoPortRig) => rig.modem.imei, ['hello']],
  ['of another modem is not received', () => '356938035643809', []],
])('a message that arrives while the second port is identified and is %s', async (_, imeiOf, texts) => {
  const pdu = '07914477790000F0040C9144770000214300006290212100000005E8329BFD06'
  const answerTo = (written: string) =>
    /GSN/.test(written) ? `\r\n+CMT: ,${pdu.length / 2 - 8}\r\n${pdu}\r\n\r\n${imeiOf(rig)}\r\n\r\nOK\r\n` : undefined
  const rig: TwoPortRig = new TwoPortRig({ second: answerTo })
  await rig.ready()
  expect(rig.read.map(({ text }) => text)).toEqual(texts)
})
