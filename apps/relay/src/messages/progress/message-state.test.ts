import type { MessageState } from '@smsgw/contract/messages/message-states'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  advanceRecipient,
  isFinished,
  messageStateOf,
  type RecipientInput,
  type RecipientProgress,
} from './message-state.ts'

const accepted: RecipientProgress = {
  state: 'Pending',
  error: null,
  errorCode: null,
  dispatchedJournal: null,
  cancelRequestedAt: null,
  cancelAnsweredAt: null,
  processedAt: null,
  sentAt: null,
  deliveredAt: null,
  failedAt: null,
  cancelledAt: null,
}

const at = new Date('2026-03-01T12:00:00.000Z')
const later = new Date('2026-03-01T12:05:00.000Z')
const failure = (code: string): RecipientInput => ({ kind: 'failed', at, code, reason: 'in words' })
const dispatched = { ...accepted, dispatchedJournal: 'journal' }

const inputs = {
  processed: { kind: 'processed', at },
  waiting: { kind: 'waiting', at, code: 'held', reason: 'waits for work hours' },
  sent: { kind: 'sent', at },
  delivered: { kind: 'delivered', at },
  refused: failure('refused'),
  unknown: failure('submit_unknown'),
  'cancel-requested': { kind: 'cancel-requested', at },
  cancelled: { kind: 'cancelled', at },
  'cancel-refused': { kind: 'cancel-refused', at },
  expired: { kind: 'expired', at },
  'device-lost': { kind: 'device-lost', at },
  emulated: { kind: 'emulated', at },
} satisfies Record<string, RecipientInput>
type InputName = keyof typeof inputs
const names = Object.keys(inputs) as InputName[]

function follow(start: RecipientProgress, ...steps: InputName[]): RecipientProgress {
  return steps.reduce((recipient, name) => advanceRecipient(recipient, inputs[name]).recipient, start)
}

const situations = {
  Pending: accepted,
  'Pending, dispatched': dispatched,
  Processed: follow(dispatched, 'processed'),
  Cancelling: follow(dispatched, 'processed', 'cancel-requested'),
  Cancelled: follow(dispatched, 'processed', 'cancel-requested', 'cancelled'),
  Sent: follow(dispatched, 'processed', 'sent'),
  Delivered: follow(dispatched, 'processed', 'sent', 'delivered'),
  'Failed, refused': follow(dispatched, 'processed', 'refused'),
  'Failed, submit_unknown': follow(dispatched, 'processed', 'unknown'),
  'Failed, device_lost': follow(dispatched, 'processed', 'device-lost'),
}

describe('the next state of a recipient, for each state and input', () => {
  // A dot means that the state does not change.
  const table = `
                         | processed waiting sent delivered refused unknown cancel-requested cancelled cancel-refused expired device-lost emulated
  Pending                | Processed .       Sent Delivered Failed  Failed  Cancelled        Cancelled .              Failed  Failed      Failed
  Pending, dispatched    | Processed .       Sent Delivered Failed  Failed  Cancelling       Cancelled .              .       Failed      Failed
  Processed              | .         .       Sent Delivered Failed  Failed  Cancelling       Cancelled .              .       Failed      Failed
  Cancelling             | .         .       Sent Delivered Failed  Failed  .                Cancelled .              .       Failed      .
  Cancelled              | .         .       .    .         .       .       .                .         .              .       .           .
  Sent                   | .         .       .    Delivered Failed  .       .                .         .              .       .           .
  Delivered              | .         .       .    .         .       .       .                .         .              .       .           .
  Failed, refused        | .         .       .    .         .       .       .                .         .              .       .           .
  Failed, submit_unknown | .         .       Sent Delivered .       .       .                .         .              .       .           .
  Failed, device_lost    | .         .       Sent Delivered .       .       .                .         .              .       .           .`
  const [columns, ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim().split(/ +/)))
  test('is listed for every combination', () => {
    expect(rows.map(([situation]) => situation?.join(' '))).toEqual(Object.keys(situations))
    expect(columns?.at(-1)).toEqual(names)
  })
  for (const [situation, cells] of rows) {
    const before = situations[situation?.join(' ') as keyof typeof situations]
    for (const [column, name] of names.entries()) {
      const cell = cells?.[column] ?? ''
      const expected = cell === '.' ? before.state : cell
      test(`${situation?.join(' ')} and ${name} give ${expected}`, () => {
        expect(advanceRecipient(before, inputs[name]).recipient.state).toBe(expected)
      })
    }
  }
})

describe('a recipient', () => {
  test('a recipient keeps the first time of each state', () => {
    const start = follow(dispatched, 'processed', 'sent')
    const repeated = advanceRecipient(advanceRecipient(start, { kind: 'processed', at: later }).recipient, {
      kind: 'sent',
      at: later,
    })
    expect(repeated.recipient).toBe(start)
    expect(start).toMatchObject({ processedAt: at, sentAt: at })
  })

  test('a recipient is reported as sent before it is reported as delivered, even if the device reported only the delivery', () => {
    expect(advanceRecipient(situations.Processed, inputs.delivered).reached).toEqual(['sent', 'delivered'])
    expect(advanceRecipient(situations.Sent, inputs.delivered).reached).toEqual(['delivered'])
    expect(advanceRecipient(situations['Failed, device_lost'], inputs.delivered).reached).toEqual(['sent', 'delivered'])
  })

  test('a recipient records the time of Processed while a cancel is pending', () => {
    const cancelling = follow(dispatched, 'cancel-requested', 'processed')
    expect(cancelling).toMatchObject({ state: 'Cancelling', processedAt: at, cancelAnsweredAt: null })
  })

  test('a recipient keeps the state Cancelling after a refused cancel, records the answer, and waits for the outcome', () => {
    const refused = follow(situations.Cancelling, 'cancel-refused')
    expect(refused).toMatchObject({ state: 'Cancelling', cancelAnsweredAt: at })
    expect(follow(refused, 'sent').state).toBe('Sent')
  })

  test('a recipient shows the waiting reason until it is sent', () => {
    const held = follow(situations.Processed, 'waiting')
    expect(held).toMatchObject({ state: 'Processed', error: 'waits for work hours', errorCode: 'held' })
    expect(follow(held, 'sent')).toMatchObject({ error: null, errorCode: null })
  })

  test('a recipient with an unknown outcome has an error that begins as the contract requires, whatever the device reports', () => {
    const errorOf = (reason: string) =>
      advanceRecipient(situations.Processed, { kind: 'waiting', at, code: 'outcome_unknown', reason }).recipient.error
    expect(errorOf('the port was lost')).toBe('outcome unknown: the port was lost')
    expect(errorOf('outcome unknown: no answer')).toBe('outcome unknown: no answer')
  })

  test('a recipient fails with the text of the contract and the number of sent parts', () => {
    const errorOf = (more: object) =>
      advanceRecipient(situations.Processed, { kind: 'failed', at, code: 'refused', reason: 'CMS 38', ...more })
        .recipient.error
    expect(errorOf({})).toBe('CMS 38')
    expect(errorOf({ partsSent: 2, parts: 3 })).toBe('partial 2/3: CMS 38')
    expect(errorOf({ partsSent: 0, parts: 3 })).toBe('CMS 38')
    // All parts were sent. Later, a delivery report stated that the message had failed.
    expect(errorOf({ partsSent: 3, parts: 3 })).toBe('CMS 38')
    expect(errorOf({ code: 'ttl_expired' })).toBe('TTL expired')
    expect(errorOf({ code: 'submit_unknown', partsSent: 1, parts: 2 })).toBe('partial 1/2: submit_unknown')
  })

  test('a recipient shows no error after a correction', () => {
    for (const situation of ['Failed, submit_unknown', 'Failed, device_lost'] as const) {
      expect(follow(situations[situation], 'sent')).toMatchObject({ state: 'Sent', error: null, failedAt: at })
    }
  })

  test('a recipient that is lost also gets a cancel request, unless it was never dispatched', () => {
    expect(follow(dispatched, 'device-lost')).toMatchObject({ error: 'device_lost', cancelRequestedAt: at })
    expect(follow(accepted, 'device-lost')).toMatchObject({ error: 'device_lost', cancelRequestedAt: null })
    expect(follow(dispatched, 'emulated')).toMatchObject({ errorCode: 'emulated_modem', cancelRequestedAt: at })
    expect(follow(accepted, 'emulated')).toMatchObject({ errorCode: 'emulated_modem', cancelRequestedAt: null })
  })

  test('a recipient that was dispatched is never expired by the relay', () => {
    expect(advanceRecipient(dispatched, inputs.expired).recipient).toBe(dispatched)
  })
})

const rank: Record<MessageState, number> = {
  Pending: 0,
  Processed: 1,
  Cancelling: 2,
  Sent: 3,
  Delivered: 4,
  Cancelled: 5,
  Failed: 5,
}
const isOutcomeUnknown = ({ errorCode }: RecipientProgress) =>
  errorCode === 'submit_unknown' || errorCode === 'device_lost'
const anyInputs = fc.array(fc.constantFrom(...names), { maxLength: 12 })

describe('in any order of inputs, a recipient', () => {
  test('in any order of inputs, a recipient never moves backwards', () => {
    fc.assert(
      fc.property(fc.constantFrom(accepted, dispatched), anyInputs, (start, steps) => {
        let recipient: RecipientProgress = start
        for (const name of steps) {
          const next = advanceRecipient(recipient, inputs[name]).recipient
          const corrected = isOutcomeUnknown(recipient) && (next.state === 'Sent' || next.state === 'Delivered')
          if (!corrected) expect(rank[next.state]).toBeGreaterThanOrEqual(rank[recipient.state])
          if (isFinished(recipient.state)) expect(isFinished(next.state)).toBe(true)
          recipient = next
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('in any order of inputs, a recipient reaches each milestone at most once, and delivered only after sent', () => {
    fc.assert(
      fc.property(fc.constantFrom(accepted, dispatched), anyInputs, (start, steps) => {
        let recipient: RecipientProgress = start
        const reached: string[] = []
        for (const name of steps) {
          const step = advanceRecipient(recipient, inputs[name])
          reached.push(...step.reached)
          recipient = step.recipient
        }
        const failures = reached.filter((milestone) => milestone === 'failed').length
        // Two failures are possible: an unknown outcome that is corrected to Sent, and then the failure in a delivery
        // report.
        expect(failures).toBeLessThanOrEqual(reached.indexOf('sent') > reached.indexOf('failed') ? 2 : 1)
        const others = reached.filter((milestone) => milestone !== 'failed')
        expect(new Set(others).size).toBe(others.length)
        if (others.includes('delivered')) expect(others.indexOf('sent')).toBeLessThan(others.indexOf('delivered'))
      }),
      { numRuns: 2000 },
    )
  })

  test('in any order of inputs, a recipient does not change when an input is repeated at once', () => {
    fc.assert(
      fc.property(fc.constantFrom(accepted, dispatched), anyInputs, fc.constantFrom(...names), (start, steps, last) => {
        const once = follow(start, ...steps, last)
        const again = advanceRecipient(once, inputs[last])
        expect(again.recipient).toBe(once)
        expect(again.reached).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test('reaches the same state for every order and repetition of progress, unknown outcomes and reports', () => {
    const progress = ['processed', 'waiting', 'sent', 'delivered', 'unknown', 'device-lost'] as const
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom(...progress), { minLength: 1, maxLength: 8 })
          .chain((steps) => fc.tuple(fc.constant(steps), fc.shuffledSubarray(steps, { minLength: steps.length }))),
        ([steps, shuffled]) => {
          expect(follow(dispatched, ...shuffled).state).toBe(follow(dispatched, ...steps).state)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('the state of a message', () => {
  test.each<[MessageState[], MessageState]>([
    [['Delivered', 'Pending', 'Failed'], 'Pending'],
    [['Pending', 'Cancelling'], 'Pending'],
    [['Cancelling', 'Cancelled', 'Processed'], 'Cancelling'],
    [['Cancelled', 'Processed'], 'Cancelled'],
    [['Cancelled', 'Delivered'], 'Cancelled'],
    [['Processed', 'Sent', 'Failed'], 'Processed'],
    [['Failed', 'Failed'], 'Failed'],
    [['Delivered', 'Delivered'], 'Delivered'],
    [['Delivered', 'Failed'], 'Sent'],
    [['Sent', 'Failed'], 'Sent'],
    [['Sent', 'Delivered'], 'Sent'],
    [['Delivered'], 'Delivered'],
  ])('the state of a message with recipients %j is %s', (recipients, expected) => {
    expect(messageStateOf(recipients)).toBe(expected)
  })
})
