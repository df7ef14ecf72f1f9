import { describe, expect, test } from 'vitest'
import type { ManualClock } from '../manual-clock.ts'
import { type ForeignModem, type Habits, refusals } from './foreign-modem.ts'
import { Handset } from './handset.ts'
import { lteStick } from './lte-stick.ts'
import { SerialModule } from './serial-module.ts'
import { type Trial, tryModem } from './try-modem.ts'

const modems: readonly (readonly [string, (clock: ManualClock) => ForeignModem, optional: string])[] = [
  [
    'a serial module',
    (clock) => new SerialModule(clock),
    'E V I +CMEE +GCAP +CPAS +CGMI +CGMM +CGMR +CGSN +GSN +CFUN +CPIN +CSCS +CSMS +CPMS +CNMI +CIMI +CSCA +CCID +CNUM ' +
      '+CREG +CGREG +CTZU +CTZR +CMGL +CMGR +CSQ +COPS',
  ],
  ['a mobile phone', (clock) => new Handset(clock), 'E V +CGMI +CGMM +CGSN +CPIN +CSCS +CNMI +CREG +CSQ +CMGL +CMGR'],
  [
    'an LTE stick',
    lteStick,
    'E V +CMEE +GCAP +CPAS +CGMI +CGMM +CGMR +CGSN +CFUN +CPIN +CSCS +CSMS +CPMS +CNMI +CIMI +CSCA +ICCID +CNUM +CEREG ' +
      '+CTZU +CTZR +CMGL +CMGR +CSQ +CESQ +COPS',
  ],
]

const habits: readonly Habits[] = [
  ...([{ lineEnd: '\r' }, { lineEnd: '\n' }, { lineEnd: '\r\r\n' }, { gluesOk: true }] as const),
  ...([{ echo: 'always' }, { echo: 'late' }, { prompt: '>' }, { prompt: '>\r\n' }, { okBeforePrompt: true }] as const),
  ...['+CREG: 1', '^RSSI: 10', 'RING', '+CIEV: "MESSAGE",1', '+CLIP: "+15550100",145'].map((chatter) => ({ chatter })),
  { okOfSubmission: 'missing' },
]

function expectUse({ outcome, submitted, modem, received, readyAfterMs }: Trial, limitMs = 60_000): void {
  expect(outcome.kind).toBe('started')
  expect(readyAfterMs).toBeLessThan(limitMs)
  expect(submitted).toMatchObject({ kind: 'accepted' })
  expect(modem.sent).toHaveLength(1)
  expect(received).toBe(1)
  expect(modem.stored).toBe(0)
}

describe.each(modems)('%s sends and receives', (_, create, optional) => {
  test('sends and receives with all its commands', async () => {
    expectUse(await tryModem(create))
  })

  test.each(habits)('sends and receives when it writes its lines with %j', async (habit) => {
    expectUse(await tryModem(create, {}, habit))
  })

  test.each(optional.split(' '))('sends and receives without AT%s, with any refusal', async (command) => {
    for (const refusal of refusals) expectUse(await tryModem(create, { [command]: refusal }))
  })

  test('sends and receives with all identification commands refused', async () => {
    for (const refusal of refusals) {
      const names = ['I', '+CGMI', '+CGMM', '+CGMR', '+CGSN', '+GSN', '+CIMI', '+CCID', '+ICCID', '+CNUM', '+CSCA']
      const trial = await tryModem(create, Object.fromEntries(names.map((name) => [name, refusal])))
      expectUse(trial, 120_000)
      expect(trial.shortcomings).toContain('no-imei')
    }
  })

  test('sends and receives with OK before the reference: the result follows as a late result', async () => {
    const trial = await tryModem(create, {}, { okOfSubmission: 'first' })
    expect(trial.submitted).toMatchObject({ kind: 'unknown', why: 'no-reference' })
    expect(trial.events).toContainEqual(expect.objectContaining({ kind: 'late-result', id: 'a' }))
    expect(trial).toMatchObject({ received: 1, modem: { stored: 0 } })
  })
})

describe.each(modems)('%s that lacks a necessary command', (_, create) => {
  test.each(refusals)('a modem is not used without PDU mode (%s)', async (refusal) => {
    const { outcome } = await tryModem(create, { '+CMGF': refusal })
    expect(outcome).toMatchObject({ kind: 'failed', failure: { reason: 'pdu-mode-refused' } })
  })

  test.each(refusals)('receives without +CMGS, and the message is provably unsent (%s)', async (refusal) => {
    const trial = await tryModem(create, { '+CMGS': refusal })
    expect(trial.submitted).toMatchObject(
      refusal === 'silence' ? { kind: 'not-sent', why: 'no-prompt' } : { kind: 'refused', pduWritten: false },
    )
    expect(trial).toMatchObject({ received: 1, modem: { sent: [], stored: 0 } })
  })

  test.each(refusals)(
    'sends and receives without +CMGD, and reports that the memory becomes full (%s)',
    async (refusal) => {
      const trial = await tryModem(create, { '+CMGD': refusal })
      expect(trial.submitted.kind).toBe('accepted')
      expect(trial.received).toBe(1)
      expect(trial.events).toContainEqual(expect.objectContaining({ kind: 'not-deleted' }))
    },
  )
})

describe('an incomplete modem is described', () => {
  test('an incomplete modem is described: a mobile phone', async () => {
    const { shortcomings } = await tryModem((clock) => new Handset(clock))
    expect(shortcomings).toEqual([
      ...['indications-unverified', 'no-delivery-reports', 'memory-not-selectable', 'imei-malformed', 'no-error-codes'],
    ])
  })

  test.each([
    ['+CPMS', 'memory-not-selectable'],
    ['+CNMI', 'no-indications'],
    ['+CPIN', 'sim-state-unreadable'],
    ['+CEREG', 'registration-unreadable'],
    ['+CMEE', 'no-error-codes'],
    ['+CGSN', 'no-imei'],
    ['', 'at-refused'],
  ] as const)('an incomplete modem is described: an LTE stick without AT%s: %s', async (command, shortcoming) => {
    expect((await tryModem(lteStick, { [command]: 'ERROR' })).shortcomings).toEqual([shortcoming])
  })

  test('an incomplete modem is described: a SIM whose state, IMSI and registration cannot be read', async () => {
    const { outcome } = await tryModem(lteStick, { '+CPIN': 'ERROR', '+CIMI': 'ERROR', '+CEREG': 'ERROR' })
    expect(outcome).toMatchObject({ kind: 'failed', failure: { reason: 'sim-state-unknown' } })
  })
})
