import { describe, expect, test } from 'vitest'
import type { Plan } from '../journal/change.ts'
import { sendCommand } from '../testing/sender-fixture.ts'
import type { AttemptResult } from './message/attempt-result.ts'
import { newMessage, type OutgoingMessage, withPlan } from './message/message.ts'
import { defaultSendingLimits } from './schedule/sending-settings.ts'
import { next } from './sending-machine.ts'
import type { SendingSim } from './sending-sim.ts'
import { type Attempt, newSending, type SendingEffect, type SendingInput, type SendingState } from './sending-state.ts'

const startMs = Date.parse('2026-03-01T12:00:00.000Z')
const sim: SendingSim = {
  simNumber: 1,
  iccid: 'iccid-1',
  phoneNumber: undefined,
  submit: () => Promise.reject(new Error('the machine must not call a modem')),
}

/** Passes the inputs to the machine, `nowMs` after the start. */
function play(from: SendingState, nowMs: number, ...inputs: readonly SendingInput[]) {
  const stamp = { wallMs: startMs + nowMs, trusted: true, bootId: 'boot', monotonicMs: nowMs }
  const moment = { nowMs, stamp, local: () => '', minuteOfDay: () => 0, random: () => 0.5 }
  const effects: SendingEffect[] = []
  let state = from
  for (const input of inputs) {
    const step = next(state, input, moment)
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects, kinds: effects.map(({ kind }) => kind) }
}

function accepted(cmdId: string, more: Parameters<typeof sendCommand>[1] = {}): SendingInput {
  return { kind: 'accepted', commands: [sendCommand(cmdId, more)], receivedMs: startMs }
}

function planned(cmdId: string, parts = 1): SendingInput {
  const plan: Plan = {
    simNumber: 1,
    iccid: sim.iccid,
    destination: '+447700900123',
    requestsReport: true,
    parts: Array.from({ length: parts }, (_, at) => ({ pdu: `0${at}`, tpduLength: 1 })),
  }
  return { kind: 'planned', sim, cmdId, planned: { ok: true, plan } }
}

const attempt = (cmdId: string, at = 0, count = 1): Attempt => ({ sim, cmdId, at, attempt: count })
const resultOf = (cmdId: string, result: AttemptResult, at = 0): SendingInput => ({
  kind: 'result',
  ...attempt(cmdId, at),
  result,
})
const ok: AttemptResult = { kind: 'accepted', reference: 7 }
const unknown: AttemptResult = { kind: 'unknown', code: 'silence' }

const idle = play(
  newSending(defaultSendingLimits),
  0,
  { kind: 'sim-ready', sim },
  { kind: 'history-read', sim, sentMs: [] },
).state
const submitted = play(idle, 0, accepted('a'), planned('a')).state
const onAir = play(submitted, 0, { kind: 'prompted', ...attempt('a') }, { kind: 'committed', ...attempt('a') }).state

test('plans a message for the SIM that is ready, then submits its first part', () => {
  const { kinds, effects } = play(idle, 0, accepted('a'), planned('a', 2))
  expect(kinds).toEqual(['plan', 'set-timer', 'open-changed', 'submit'])
  expect(effects.at(-1)).toMatchObject({ cmdId: 'a', at: 0, attempt: 1, pdu: '00', moreFollow: true })
})

test('writes plan and COMMIT together when the modem asks for the PDU', () => {
  const { effects } = play(submitted, 0, { kind: 'prompted', ...attempt('a') })
  const changes = [{ kind: 'command-planned' }, { kind: 'part-committed', cmdId: 'a', part: 1, attempt: 1 }]
  expect(effects).toMatchObject([{ kind: 'commit', changes }])
})

describe('a SIM whose modem accepts whole texts', () => {
  const stick: SendingSim = { ...sim, sendsText: true }
  const inStick = play(
    newSending(defaultSendingLimits),
    0,
    { kind: 'sim-ready', sim: stick },
    { kind: 'history-read', sim: stick, sentMs: [] },
  ).state
  const textPlan: Plan = {
    simNumber: 1,
    iccid: sim.iccid,
    destination: '+447700900123',
    requestsReport: false,
    parts: [{ pdu: '', tpduLength: 0, text: 'Hello' }],
  }
  const plannedText: SendingInput = { kind: 'planned', sim: stick, cmdId: 'a', planned: { ok: true, plan: textPlan } }

  test('submits the text with its destination', () => {
    const { effects } = play(inStick, 0, accepted('a'), plannedText)
    expect(effects.at(-1)).toMatchObject({ kind: 'submit', text: { text: 'Hello', destination: '+447700900123' } })
  })

  test('plans a message again if it was planned as PDUs before the SIM was moved', () => {
    const open = [restoredFrom([{ pdu: '00', tpduLength: 1 }])]
    const { effects } = play(inStick, 0, { kind: 'restored', open, givenUp: [] }, { kind: 'journal-confirmed' })
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'plan', sim: stick }))
  })

  test('does not send the rest of a message of which a part was sent as a PDU', () => {
    const parts = [
      { pdu: '00', tpduLength: 1 },
      { pdu: '01', tpduLength: 1 },
    ]
    const begun = restoredFrom(parts)
    const [first, ...rest] = begun.parts
    if (first === undefined) throw new Error('the message has no parts')
    const open = [{ ...begun, parts: [{ ...first, state: 'accepted' as const }, ...rest] }]
    const { kinds } = play(inStick, 0, { kind: 'restored', open, givenUp: [] }, { kind: 'journal-confirmed' })
    expect(kinds).not.toContain('plan')
    expect(kinds).not.toContain('submit')
  })

  function restoredFrom(parts: Plan['parts']): OutgoingMessage {
    return withPlan(newMessage(sendCommand('a'), startMs, 60_000), { ...textPlan, parts })
  }
})

test('does not change the state that it is given', () => {
  const before = structuredClone({ open: [...submitted.open], doubt: submitted.doubt, queue: submitted.schedule.queue })
  play(submitted, 0, { kind: 'prompted', ...attempt('a') }, resultOf('a', unknown), accepted('b'), { kind: 'stop' })
  expect({ open: [...submitted.open], doubt: submitted.doubt, queue: submitted.schedule.queue }).toEqual(before)
})

describe.each<[string, SendingInput, number]>([
  ['was cancelled', { kind: 'cancel', cmdId: 'a' }, 0],
  ['comes from a journal that may be a clone', { kind: 'journal-unconfirmed' }, 0],
  [
    'is in doubt with its whole journal',
    {
      kind: 'journal-distrusted',
      renounced: { kind: 'tombstone', cmdId: 'x', at: { wallMs: 0, trusted: true, bootId: '', monotonicMs: 0 } },
    },
    0,
  ],
  ['is past its deadline', { kind: 'time-changed' }, defaultSendingLimits.lifeMs],
  ['was stopped with the agent', { kind: 'stop' }, 0],
])('a message at the prompt that %s', (_, input, nowMs) => {
  test('a message whose submission ends at the prompt gets no COMMIT, so that its PDU is not sent', () => {
    const { state } = play(submitted, nowMs, input)
    expect(play(state, nowMs, { kind: 'prompted', ...attempt('a') }).effects).toEqual([])
  })
})

describe.each<[string, AttemptResult, readonly string[], Partial<{ open: number; waiting: number; inDoubt: number }>]>([
  ['accepted', ok, ['write', 'message-sent', 'open-changed'], { open: 0, waiting: 0, inDoubt: 0 }],
  ['unknown', unknown, ['write'], { open: 1, waiting: 0, inDoubt: 1 }],
  [
    'refused for good',
    { kind: 'refused', again: 'never', retryAfterMs: 0, code: 'CMS 1', reason: 'no' },
    ['write', 'open-changed'],
    { open: 0, waiting: 0, inDoubt: 0 },
  ],
  [
    'refused for now',
    { kind: 'refused', again: 'later', retryAfterMs: 1000, code: 'CMS 38', reason: 'busy' },
    ['write', 'set-timer'],
    { open: 1, waiting: 1, inDoubt: 0 },
  ],
  ['unsent', { kind: 'unsent', why: 'port-lost' }, ['write', 'set-timer'], { open: 1, waiting: 1, inDoubt: 0 }],
])('a part that is %s', (_, result, expected, counts) => {
  test('the result of a part is written once, and decides how its message continues', () => {
    const { state, kinds } = play(onAir, 10, resultOf('a', result))
    expect(kinds.filter((kind) => kind !== 'set-timer' || expected.includes(kind))).toEqual(expected)
    const { open, schedule, doubt } = state
    expect({ open: open.size, waiting: schedule.queue.length, inDoubt: doubt.untilMs.size }).toEqual(counts)
  })
})

test('submits the next part in the step that processes the result of the previous part', () => {
  const long = play(idle, 0, accepted('a'), planned('a', 2), { kind: 'prompted', ...attempt('a') })
  const { kinds, effects } = play(long.state, 10, resultOf('a', ok))
  expect(kinds).toEqual(['write', 'submit'])
  expect(effects.at(-1)).toMatchObject({ at: 1, attempt: 1, moreFollow: false })
})

test('assigns the message with the highest priority to a free SIM', () => {
  const waiting = play(onAir, 0, accepted('b'), accepted('urgent', { priority: 100 })).state
  const { effects } = play(waiting, 10, resultOf('a', ok))
  expect(effects).toContainEqual(
    expect.objectContaining({ kind: 'plan', command: expect.objectContaining({ cmdId: 'urgent' }) }),
  )
})

test('delays messages to the number of a doubt for two minutes, and sends to other numbers', () => {
  const doubt = play(onAir, 0, resultOf('a', unknown)).state
  const same = play(doubt, 1000, accepted('same'))
  expect(same.kinds).not.toContain('plan')
  expect(play(same.state, 1000, accepted('other', { phoneNumber: '+447700900777' })).kinds).toContain('plan')
  expect(play(same.state, defaultSendingLimits.destinationHoldMs, { kind: 'timer' }).kinds).toContain('plan')
})

test('ends a doubt after its window, and corrects the outcome after a late answer', () => {
  const doubt = play(onAir, 0, resultOf('a', unknown)).state
  const over = play(doubt, defaultSendingLimits.doubtWindowMs, { kind: 'timer' })
  expect(over.effects).toContainEqual(expect.objectContaining({ onWritten: { kind: 'give-up-written', cmdId: 'a' } }))
  const givenUp = play(over.state, defaultSendingLimits.doubtWindowMs, { kind: 'give-up-written', cmdId: 'a' }).state
  expect([givenUp.open.size, givenUp.remembered.size]).toEqual([0, 1])
  const { sim: _, ...late } = attempt('a')
  const evidence = play(givenUp, 2_000_000, { kind: 'late-result', ...late, result: ok })
  const resolved = play(evidence.state, 2_000_000, { kind: 'doubt-resolved', cmdId: 'a', result: ok })
  expect(resolved.effects).toMatchObject([
    { kind: 'write', changes: [{ kind: 'command-corrected', outcome: 'sent' }, { kind: 'event' }] },
  ])
  const ended = play(resolved.state, 2_000_000, { kind: 'ended', cmdId: 'a' }).state
  expect([ended.open.size, ended.remembered.size]).toEqual([0, 0])
})

test('ignores results and timers of messages that have ended', () => {
  const over = play(onAir, 0, resultOf('a', ok)).state
  const { state, effects } = play(
    over,
    10,
    resultOf('a', ok),
    { kind: 'ended', cmdId: 'a' },
    { kind: 'give-up-written', cmdId: 'a' },
  )
  expect([state.open.size, effects]).toEqual([0, []])
})

test('sets one timer, and sets the timer again only when something is due earlier', () => {
  const limited = play(idle, 0, accepted('a')).state
  expect(limited.timerAtMs).toBe(60_000)
  expect(play(limited, 10, accepted('b')).kinds).not.toContain('set-timer')
  const soon = accepted('c', { validUntil: new Date(startMs + 5000).toISOString() })
  expect(play(limited, 10, soon).effects).toContainEqual({ kind: 'set-timer', atMs: 5000 })
  expect(play(limited, 60_000, { kind: 'timer' }).effects).toContainEqual({ kind: 'set-timer', atMs: 120_000 })
})

test('a step without a waiting message changes no lane', () => {
  const sims = Array.from({ length: 64 }, (_, at) => ({ ...sim, simNumber: at + 1, iccid: `iccid-${at + 1}` }))
  const ready = sims.flatMap((each): SendingInput[] => [
    { kind: 'sim-ready', sim: each },
    { kind: 'history-read', sim: each, sentMs: [] },
  ])
  const { state } = play(newSending(defaultSendingLimits), 0, ...ready)
  const later = play(state, 1_000, { kind: 'timer' }).state
  expect(later.schedule.lanes).toBe(state.schedule.lanes)
})
