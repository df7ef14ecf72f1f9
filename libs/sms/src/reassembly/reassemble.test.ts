import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import {
  DAY,
  HOUR,
  ids,
  MINUTE,
  part,
  runReassembly,
  summariesOf,
  summaryAfter,
  tick,
  type Written,
} from './reassembly-run.ts'

describe('a message with all parts', () => {
  test('a message with all parts is announced with the last part, in the order of its parts', () => {
    const { effects } = runReassembly([
      part(2, 'b', 0, { of: 3 }),
      part(3, 'c', 1, { of: 3 }),
      part(1, 'a', 2, { of: 3 }),
    ])
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

  test('a message of one part is announced at once', () => {
    expect(summaryAfter([part(1, 'all', 0, { of: 1 })])).toEqual(['=all'])
  })

  test('a message is not joined with messages that differ in SIM, sender, kind of sender, reference, width or total', () => {
    const others: readonly Written[] = [
      { sim: 'other' },
      { sender: '+447700900124' },
      { sender: '447700900123' },
      { reference: 8 },
      { width: 16 },
      { of: 3 },
    ]
    for (const other of others) expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 0, other)])).toEqual([])
  })
})

describe('a copy', () => {
  test('a copy that the network delivers again is reported together with its original', () => {
    expect(summaryAfter([part(1, 'a', 0), part(1, 'a', 5, { id: 'again' })])).toEqual(['again<a@0'])
  })

  test('a copy of a complete message starts no new message, even days later', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0), part(2, 'b', 2 * DAY, { id: 'again' }), tick(9 * DAY)]
    expect(summaryAfter(inputs)).toEqual(['=ab', 'again<b@0'])
  })

  test('a copy with an invalid time stamp is recognised by its stored PDU, or within minutes', () => {
    const unreadable = { stamp: { invalid: true, raw: new Uint8Array(7) } } as const
    const [first, second] = [part(1, 'a', 0, unreadable), part(2, 'b', 0, unreadable)]
    expect(summaryAfter([first, second, part(1, 'a', 2 * HOUR, unreadable)])).toEqual(['=ab', 'a@0<a@0'])
    const copy = part(1, 'a', 5, { ...unreadable, id: 'again' })
    expect(summaryAfter([first, copy, second, tick(2 * HOUR)])).toEqual(['=ab', 'again<a@0'])
  })

  test('a copy is not recognised if the same text arrives a day later from a service centre without a clock', () => {
    const unreadable = { stamp: { invalid: true, raw: new Uint8Array(7) } } as const
    const daily = [0, DAY, 2 * DAY].flatMap((atMs) => [
      part(1, 'a', atMs, { ...unreadable, id: `1 ${atMs}` }),
      part(2, 'b', atMs, { ...unreadable, id: `2 ${atMs}` }),
    ])
    expect(summaryAfter(daily)).toEqual(['=ab', '=ab', '=ab'])
    expect(new Set(ids(runReassembly(daily).effects)).size).toBe(3)
  })

  test('a copy that the sender submitted again is recognised while the message is incomplete', () => {
    const resent = part(2, 'b', 40, { of: 3, sent: 40_000, id: 'again' })
    const inputs = [
      part(1, 'a', 0, { of: 3 }),
      part(2, 'b', 0, { of: 3 }),
      resent,
      part(3, 'c', 50, { of: 3, sent: 45_000 }),
    ]
    expect(summaryAfter([...inputs, tick(2 * HOUR)])).toEqual(['=abc', 'again<b@0'])
    expect(summaryAfter([...inputs.slice(0, 3), tick(2 * HOUR)])).toEqual(['~ab…', 'again<b@0'])
  })

  test('a copy that the sender submitted again causes no partial message after the complete one', () => {
    const resent = part(2, 'b', 40, { sent: 40_000, id: 'again' })
    expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 0), resent, tick(2 * HOUR)])).toEqual(['=ab', 'again<b@0'])
  })

  test('a copy that the sender submitted again is not used for the next message of the sender', () => {
    const resent = part(2, 'b', 40, { sent: 40_000, id: 'again' })
    const following = [part(1, 'c', 60, { sent: 60_000 }), part(2, 'd', 61, { sent: 61_000 })]
    expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 0), resent, ...following])).toEqual(['=ab', '=cd'])
  })
})

describe('a reused reference', () => {
  test('a reused reference after a complete message starts a new message with another id', () => {
    const later = { sent: 5 * MINUTE }
    const { effects } = runReassembly([
      part(1, 'a', 0),
      part(2, 'b', 0),
      part(1, 'c', 5, later),
      part(2, 'd', 5, later),
    ])
    expect(summariesOf(effects)).toEqual(['=ab', '=cd'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('a reused reference with the same text starts a second message', () => {
    const later = { sent: 5 * MINUTE }
    const { effects } = runReassembly([
      part(1, 'a', 0),
      part(2, 'b', 0),
      part(1, 'a', 5, later),
      part(2, 'b', 5, later),
    ])
    expect(summariesOf(effects)).toEqual(['=ab', '=ab'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('a reused reference with the same text for the third time starts a third message', () => {
    const at = (first: number, second: number) => [
      part(1, 'a', first, { sent: first * 1000 }),
      part(2, 'b', second, { sent: second * 1000 }),
    ]
    // Ten minutes after the first message, one part is just within the time for resending, and the other part just
    // outside.
    expect(summaryAfter([...at(0, 5), ...at(300, 305), ...at(598, 606)])).toEqual(['=ab', '=ab', '=ab'])
  })

  test('a reused reference with the same text three times makes three messages, in any order of their parts', () => {
    const first = (sent: number) => part(1, 'a', 0, { sent: sent * 1000 })
    const second = (sent: number) => part(2, 'b', 0, { sent: sent * 1000 })
    const inputs = [first(0), first(20), second(1), first(40), second(21), second(41)]
    expect(summaryAfter(inputs)).toEqual(['=ab', '=ab', '=ab'])
  })

  test('a reused reference while a part of the first message is missing does not mix the two messages', () => {
    const later = { sent: 2 * HOUR }
    const inputs = [part(1, 'a', 0), part(1, 'c', 5, later), part(2, 'd', 6, later), part(2, 'b', 7), tick(2 * HOUR)]
    expect(summaryAfter(inputs)).toEqual(['=cd', '=ab'])
  })

  test('a reused reference a day later does not mix the messages, even if the second part arrives first', () => {
    const later = { sent: DAY + 1000 }
    expect(summaryAfter([part(1, 'a', 0), part(2, 'd', 5, later), part(1, 'c', 6, later)])).toEqual(['=cd'])
  })

  test('a reused reference that never changes does not let a lost first part corrupt later messages', () => {
    const inputs = [
      part(2, 'b', 0),
      ...[1, 2, 3].flatMap((n) => [
        part(1, `${n}`, n * 15 * MINUTE, { sent: n * 15 * MINUTE }),
        part(2, '!', n * 15 * MINUTE, { sent: n * 15 * MINUTE }),
      ]),
      tick(DAY),
    ]
    expect(summaryAfter(inputs)).toEqual(['=1!', '=2!', '=3!', '~…b'])
  })

  test('a reused reference with parts a day apart belongs to one message, with parts further apart to two', () => {
    expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 1, { sent: DAY })])).toEqual(['=ab'])
    expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 1, { sent: DAY + 1000 })])).toEqual([])
  })

  test('a reused reference with invalid time stamps is decided by the arrival times', () => {
    const stamp = { invalid: true, raw: new Uint8Array(7) } as const
    const first = part(1, 'a', 0, { stamp })
    expect(summaryAfter([first, part(2, 'b', HOUR / 2, { stamp })])).toEqual(['=ab'])
    expect(summaryAfter([first, part(2, 'b', DAY + 1000, { stamp })])).toEqual(['~a…'])
  })
})
