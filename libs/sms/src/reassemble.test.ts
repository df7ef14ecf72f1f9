import { describe, expect, test } from 'vitest'
import { addressFromText } from './address.ts'
import { DAY, HOUR, happened, ids, MINUTE, part, run, tick, told, type Written } from './testing/reassembly-run.ts'

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
    const copy = part(1, 'a', 5, { ...unreadable, id: 'again' })
    expect(happened([first, copy, second, tick(2 * HOUR)])).toEqual(['=ab', 'again<a@0'])
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
    expect(happened([...inputs, tick(2 * HOUR)])).toEqual(['=abc', 'again<b@0'])
    expect(happened([...inputs.slice(0, 3), tick(2 * HOUR)])).toEqual(['~ab…', 'again<b@0'])
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

  test('for the same words three times makes three messages, however their parts are shuffled', () => {
    const first = (sent: number) => part(1, 'a', 0, { sent: sent * 1000 })
    const second = (sent: number) => part(2, 'b', 0, { sent: sent * 1000 })
    const inputs = [first(0), first(20), second(1), first(40), second(21), second(41)]
    expect(happened(inputs)).toEqual(['=ab', '=ab', '=ab'])
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
