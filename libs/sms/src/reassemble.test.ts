import { describe, expect, test } from 'vitest'
import { addressFromText } from './address.ts'
import { septetsFromText } from './gsm7-alphabet.ts'
import {
  defaultReassemblyLimits,
  emptyReassembly,
  next,
  type ReassemblyEffect,
  type ReassemblyInput,
  type ReassemblyLimits,
} from './reassemble.ts'
import { type InvalidTimeStamp, type TimeStamp, timeStampFromEpochMs } from './time-stamp.ts'
import { type Concatenation, concatenationElement, userDataHeaderOf } from './user-data-header.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOON = Date.UTC(2026, 2, 1, 12)

interface Written {
  readonly id?: string
  readonly of?: number
  readonly sent?: number
  readonly stamp?: TimeStamp | InvalidTimeStamp
  readonly sender?: string
  readonly sim?: string
  readonly reference?: number
  readonly width?: 8 | 16
}

/** Part `sequence` of `of` (2), submitted `sent` after noon; it arrives `atMs` after noon. */
function part(sequence: number, text: string, atMs: number, written: Written = {}): ReassemblyInput {
  const { of: total = 2, sent = 0, sender = '+447700900123', sim = 'sim', reference = 7, width = 8 } = written
  const concatenation: Concatenation = { width, reference, total, sequence }
  return {
    kind: 'part-arrived',
    partId: written.id ?? `${text}@${sent}`,
    sim,
    sender: addressFromText(sender),
    concatenation,
    userData: {
      alphabet: 'gsm7',
      header: userDataHeaderOf([concatenationElement(concatenation)]),
      units: septetsFromText(text)!,
    },
    dataCodingScheme: 0,
    protocolIdentifier: 0,
    serviceCentreTimeStamp: written.stamp ?? timeStampFromEpochMs(NOON + sent, 4),
    atMs: NOON + atMs,
  }
}

const tick = (nowMs: number): ReassemblyInput => ({ kind: 'clock-ticked', nowMs: NOON + nowMs })

function run(inputs: readonly ReassemblyInput[], limits: Partial<ReassemblyLimits> = {}) {
  let state = emptyReassembly
  const effects: ReassemblyEffect[] = []
  for (const input of inputs) {
    const step = next(state, input, { ...defaultReassemblyLimits, ...limits })
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects }
}

/** What happened, in short: `=text`, `~partial`, `copy<original`. */
const told = (effects: readonly ReassemblyEffect[]) =>
  effects.map((effect) => {
    if (effect.kind === 'part-duplicated') return `${effect.partId}<${effect.originalPartId}`
    return `${effect.kind === 'message-completed' ? '=' : '~'}${effect.message.text}`
  })
const happened = (inputs: readonly ReassemblyInput[], limits?: Partial<ReassemblyLimits>) =>
  told(run(inputs, limits).effects)
const ids = (effects: readonly ReassemblyEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'part-duplicated' ? [] : [effect.groupId]))

describe('a message whose parts all come', () => {
  test('is announced with its last part, in the order of the parts', () => {
    const { effects } = run([part(2, 'b', 0, { of: 3 }), part(3, 'c', 1, { of: 3 }), part(1, 'a', 2, { of: 3 })])
    expect(effects).toEqual([
      expect.objectContaining({
        kind: 'message-completed',
        partIds: ['a@0', 'b@0', 'c@0'],
        sim: 'sim',
        sender: addressFromText('+447700900123'),
        wasReleased: false,
        message: expect.objectContaining({ text: 'abc' }),
      }),
    ])
  })

  test('of one part is announced at once', () => {
    expect(happened([part(1, 'all', 0, { of: 1 })])).toEqual(['=all'])
  })

  test('is kept apart from others that differ in SIM, sender, kind of sender, reference, width or total', () => {
    const others: readonly Written[] = [
      { sim: 'other' },
      { sender: '+447700900124' },
      { sender: '447700900123' },
      { reference: 8 },
      { width: 16 },
      { of: 3 },
    ]
    for (const other of others) expect(happened([part(1, 'a', 0), part(2, 'b', 0, other)])).toEqual([])
  })
})

describe('a copy', () => {
  test('that the network delivers again is told, with the part it copies', () => {
    expect(happened([part(1, 'a', 0), part(1, 'a', 5, { id: 'again' })])).toEqual(['again<a@0'])
  })

  test('of a part of a complete message starts nothing, days later', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0), part(2, 'b', 2 * DAY, { id: 'again' }), tick(9 * DAY)]
    expect(happened(inputs)).toEqual(['=ab', 'again<b@0'])
  })

  test('with an unreadable time stamp is known when it is the same stored PDU, or comes within minutes', () => {
    const unreadable = { stamp: { invalid: true, raw: new Uint8Array(7) } } as const
    const [first, second] = [part(1, 'a', 0, unreadable), part(2, 'b', 0, unreadable)]
    expect(happened([first, second, part(1, 'a', 2 * HOUR, unreadable)])).toEqual(['=ab', 'a@0<a@0'])
    expect(happened([first, part(1, 'a', 5, { ...unreadable, id: 'again' })])).toEqual(['again<a@0'])
  })

  test('is not what a centre without a clock delivers as the same words a day later', () => {
    const unreadable = { stamp: { invalid: true, raw: new Uint8Array(7) } } as const
    const daily = [0, DAY, 2 * DAY].flatMap((atMs) => [
      part(1, 'a', atMs, { ...unreadable, id: `1 ${atMs}` }),
      part(2, 'b', atMs, { ...unreadable, id: `2 ${atMs}` }),
    ])
    expect(happened(daily)).toEqual(['=ab', '=ab', '=ab'])
    expect(new Set(ids(run(daily).effects)).size).toBe(3)
  })

  test('that the sender submitted again, for want of an answer, is taken for one while the message is incomplete', () => {
    const resent = part(2, 'b', 40, { of: 3, sent: 40_000, id: 'again' })
    const inputs = [
      part(1, 'a', 0, { of: 3 }),
      part(2, 'b', 0, { of: 3 }),
      resent,
      part(3, 'c', 50, { of: 3, sent: 45_000 }),
    ]
    expect(happened(inputs)).toEqual(['again<b@0', '=abc'])
  })

  test('that the sender submitted again is no partial of its own when the message was complete', () => {
    const resent = part(2, 'b', 40, { sent: 40_000, id: 'again' })
    expect(happened([part(1, 'a', 0), part(2, 'b', 0), resent, tick(2 * HOUR)])).toEqual(['=ab', 'again<b@0'])
  })

  test('that the sender submitted again does not end up in its next message', () => {
    const resent = part(2, 'b', 40, { sent: 40_000, id: 'again' })
    const following = [part(1, 'c', 60, { sent: 60_000 }), part(2, 'd', 61, { sent: 61_000 })]
    expect(happened([part(1, 'a', 0), part(2, 'b', 0), resent, ...following])).toEqual(['=ab', '=cd'])
  })
})

describe('a reference that is used again', () => {
  test('after the first message is complete starts another, with an id of its own', () => {
    const later = { sent: 5 * MINUTE }
    const { effects } = run([part(1, 'a', 0), part(2, 'b', 0), part(1, 'c', 5, later), part(2, 'd', 5, later)])
    expect(told(effects)).toEqual(['=ab', '=cd'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('for the same words again makes a second message', () => {
    const later = { sent: 5 * MINUTE }
    const { effects } = run([part(1, 'a', 0), part(2, 'b', 0), part(1, 'a', 5, later), part(2, 'b', 5, later)])
    expect(told(effects)).toEqual(['=ab', '=ab'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('for the same words a third time makes a third message, however its parts lie to the first', () => {
    const at = (first: number, second: number) => [
      part(1, 'a', first, { sent: first * 1000 }),
      part(2, 'b', second, { sent: second * 1000 }),
    ]
    // Ten minutes after the first, one part just inside the time for submitting again and one just outside.
    expect(happened([...at(0, 5), ...at(300, 305), ...at(598, 606)])).toEqual(['=ab', '=ab', '=ab'])
  })

  test('while a part of the first message is missing mixes nothing', () => {
    const later = { sent: 2 * HOUR }
    const inputs = [part(1, 'a', 0), part(1, 'c', 5, later), part(2, 'd', 6, later), part(2, 'b', 7), tick(2 * HOUR)]
    expect(happened(inputs)).toEqual(['=cd', '=ab'])
  })

  test('a day later mixes nothing even when its second part comes first', () => {
    const later = { sent: DAY + 1000 }
    expect(happened([part(1, 'a', 0), part(2, 'd', 5, later), part(1, 'c', 6, later)])).toEqual(['=cd'])
  })

  test('by a sender that never changes it does not spread the loss of a first part to the messages that follow', () => {
    const inputs = [
      part(2, 'b', 0),
      ...[1, 2, 3].flatMap((n) => [
        part(1, `${n}`, n * 15 * MINUTE, { sent: n * 15 * MINUTE }),
        part(2, '!', n * 15 * MINUTE, { sent: n * 15 * MINUTE }),
      ]),
      tick(DAY),
    ]
    expect(happened(inputs)).toEqual(['=1!', '=2!', '=3!', '~…b'])
  })

  test('may not take as long as it wants: parts a day apart are one message, longer apart two', () => {
    expect(happened([part(1, 'a', 0), part(2, 'b', 1, { sent: DAY })])).toEqual(['=ab'])
    expect(happened([part(1, 'a', 0), part(2, 'b', 1, { sent: DAY + 1000 })])).toEqual([])
  })

  test('with unreadable time stamps is judged by the times of arrival', () => {
    const stamp = { invalid: true, raw: new Uint8Array(7) } as const
    const first = part(1, 'a', 0, { stamp })
    expect(happened([first, part(2, 'b', HOUR / 2, { stamp })])).toEqual(['=ab'])
    expect(happened([first, part(2, 'b', DAY + 1000, { stamp })])).toEqual(['~a…'])
  })
})

describe('a part that does not come', () => {
  test('leaves a partial that says what is missing, once', () => {
    const { effects } = run([part(2, 'b', 0, { of: 4 }), tick(HOUR - 1), tick(HOUR), tick(2 * HOUR)])
    expect(effects).toEqual([
      expect.objectContaining({
        kind: 'partial-released',
        missing: [1, 3, 4],
        partIds: ['b@0'],
        because: 'waited',
        message: expect.objectContaining({ text: '…b…' }),
      }),
    ])
  })

  test('is waited for from the last one that was new', () => {
    const inputs = [
      part(1, 'a', 0, { of: 3 }),
      part(2, 'b', HOUR - 1, { of: 3 }),
      part(1, 'a', HOUR, { of: 3, id: 'again' }),
    ]
    expect(happened([...inputs, tick(2 * HOUR - 2)])).toEqual(['again<a@0'])
    expect(happened([...inputs, tick(2 * HOUR - 1)])).toEqual(['again<a@0', '~ab…'])
  })

  test('and comes after all completes the message under the id of the partial', () => {
    const { effects } = run([part(1, 'a', 0), tick(HOUR), part(2, 'b', 3 * DAY)])
    expect(effects).toEqual([
      expect.objectContaining({ kind: 'partial-released' }),
      expect.objectContaining({ kind: 'message-completed', wasReleased: true, partIds: ['a@0', 'b@0'] }),
    ])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('keeps that id even if it was sent in the hour before', () => {
    const beforeTheHour = { sent: 22 * MINUTE }
    const { effects } = run([part(2, 'b', 0, { sent: 24 * MINUTE }), tick(HOUR), part(1, 'a', 2 * HOUR, beforeTheHour)])
    expect(told(effects)).toEqual(['~…b', '=ab'])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('makes a second partial with more in it when another one comes late but not the last', () => {
    const of = { of: 3 }
    const inputs = [
      part(1, 'a', 0, of),
      tick(HOUR),
      part(3, 'c', 2 * HOUR, of),
      tick(3 * HOUR),
      part(2, 'b', 4 * HOUR, of),
    ]
    const { effects } = run(inputs)
    expect(told(effects)).toEqual(['~a…', '~a…c', '=abc'])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('that comes after a silence longer than the wait completes the message, without a partial in between', () => {
    expect(happened([part(1, 'a', 0), part(2, 'b', 5 * HOUR)])).toEqual(['=ab'])
  })

  test('is given up by the arrival of other messages as by the clock', () => {
    expect(happened([part(1, 'a', 0), part(1, 'x', HOUR, { sender: '+1555' })])).toEqual(['~a…'])
  })

  test('is waited for no longer than usual when the clock is set back meanwhile', () => {
    expect(happened([part(1, 'a', 30 * DAY), tick(0), tick(HOUR)])).toEqual(['~a…'])
  })
})

describe('the id of a message', () => {
  const three = { of: 3 }
  const parts = [
    part(1, 'a', 0, three),
    part(2, 'b', 0, { ...three, sent: 4000 }),
    part(3, 'c', 0, { ...three, sent: 9000 }),
  ]

  test('is that of any partial of it, whichever parts are at hand', () => {
    const subsets = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]].map((chosen) =>
      chosen.map((index) => parts[index]!),
    )
    expect(new Set(subsets.flatMap((subset) => ids(run([...subset, tick(HOUR)]).effects))).size).toBe(1)
  })

  test('is the same for a whole message sent across the end of the hour, whichever part comes first', () => {
    const across = [part(1, 'a', 0, { sent: 22 * MINUTE }), part(2, 'b', 0, { sent: 24 * MINUTE })]
    expect(ids(run(across).effects)).toEqual(ids(run(across.toReversed()).effects))
  })

  test('is that of any partial too for a message sent as the clock strikes, when scheduled messages are', () => {
    const striking = [part(1, 'a', 0, { sent: -1000 }), part(2, 'b', 0, { sent: 2000 })]
    expect(new Set(striking.flatMap((one) => ids(run([one, tick(HOUR)]).effects))).size).toBe(1)
  })

  test('is another after memory has ended, with unreadable time stamps too', () => {
    const message = (day: number) =>
      [1, 2].map((sequence) => {
        const stamp = { invalid: true, raw: new Uint8Array(7) } as const
        return part(sequence, 'a', day * DAY, { stamp, id: `${sequence} of day ${day}` })
      })
    const { effects } = run([...message(0), tick(8 * DAY), ...message(8)])
    expect(told(effects)).toEqual(['=aa', '=aa'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('does not depend on when or where the parts were read', () => {
    const [first, second] = [part(1, 'a', 0), part(2, 'b', 0)]
    const later = [part(1, 'a', 3 * DAY, { id: 'x' }), part(2, 'b', 3 * DAY, { id: 'y' })]
    expect(ids(run([first, second]).effects)).toEqual(ids(run(later).effects))
  })
})

describe('memory', () => {
  test('of a complete message ends, and with it the knowledge of its copies', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0)]
    expect(run([...inputs, tick(7 * DAY - 1)]).state.groups).toHaveLength(1)
    expect(run([...inputs, tick(7 * DAY)]).state.groups).toEqual([])
  })

  test('of a complete message does not hold its text', () => {
    const { state } = run([part(1, 'secret', 0), part(2, 'b', 0)])
    const [, held] = [state, JSON.stringify(state.groups.map(({ parts }) => parts.map(({ content }) => content)))]
    expect(held).toBe('[[null,null]]')
  })

  test('is made by forgetting what was announced before what is waited for, and the oldest first', () => {
    const inputs = [
      part(1, 'w', 0, { reference: 1 }),
      part(1, 'a', 1, { reference: 2, of: 1 }),
      part(1, 'b', 2, { reference: 3, of: 1 }),
      part(1, 'c', 3, { reference: 4, of: 1 }),
    ]
    const { state, effects } = run(inputs, { maxGroups: 2 })
    expect(told(effects)).toEqual(['=a', '=b', '=c'])
    expect(state.groups.map(({ parts }) => parts[0]?.partId)).toEqual(['w@0', 'c@0'])
  })

  test('for parts is limited too: the oldest incomplete message is announced as it is', () => {
    const inputs = [1, 2, 3].map((reference) => part(1, `${reference}`, reference, { reference }))
    const { effects, state } = run(inputs, { maxHeldParts: 2 })
    expect(effects).toEqual([expect.objectContaining({ kind: 'partial-released', because: 'no-room', missing: [2] })])
    expect(told(effects)).toEqual(['~1…'])
    expect(state.groups).toHaveLength(2)
  })

  test('for parts is made by forgetting released ones first', () => {
    const inputs = [
      part(1, '1', 2 * HOUR, { reference: 1 }),
      part(1, '2', 0, { reference: 2 }),
      part(1, '3', 2 * HOUR, { reference: 3 }),
    ]
    const [waiting, released, added] = inputs
    const { effects, state } = run([released!, tick(HOUR), waiting!, added!], { maxHeldParts: 2 })
    expect(told(effects)).toEqual(['~2…'])
    expect(state.groups.map(({ parts }) => parts[0]?.partId)).toEqual(['1@0', '3@0'])
  })

  test('that was cut short gives a late part the id of its partial again', () => {
    const inputs = [part(1, 'a', 0), part(1, 'x', 1, { reference: 8 }), part(2, 'b', 2), tick(2 * HOUR)]
    const { effects } = run(inputs, { maxGroups: 1 })
    expect(told(effects)).toEqual(['~a…', '~x…', '~…b'])
    expect(ids(effects)[2]).toBe(ids(effects)[0])
  })
})
