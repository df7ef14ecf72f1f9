import { describe, expect, test } from 'vitest'
import type { ReassemblyInput } from './reassemble.ts'
import { DAY, HOUR, ids, MINUTE, part, runReassembly, summariesOf, summaryAfter, tick } from './reassembly-run.ts'

describe('a missing part', () => {
  test('a missing part causes one partial message that lists the missing parts', () => {
    const { effects } = runReassembly([part(2, 'b', 0, { of: 4 }), tick(HOUR - 1), tick(HOUR), tick(2 * HOUR)])
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

  test('a missing part is expected until a fixed time after the last new part', () => {
    const inputs = [
      part(1, 'a', 0, { of: 3 }),
      part(2, 'b', HOUR - 1, { of: 3 }),
      part(1, 'a', HOUR, { of: 3, id: 'again' }),
    ]
    expect(summaryAfter([...inputs, tick(2 * HOUR - 2)])).toEqual(['again<a@0'])
    expect(summaryAfter([...inputs, tick(2 * HOUR - 1)])).toEqual(['again<a@0', '~ab…'])
  })

  test('a missing part that arrives late completes the message under the id of the partial message', () => {
    const { effects } = runReassembly([part(1, 'a', 0), tick(HOUR), part(2, 'b', 3 * DAY)])
    expect(effects).toEqual([
      expect.objectContaining({ kind: 'partial-released' }),
      expect.objectContaining({ kind: 'message-completed', wasReleased: true, partIds: ['a@0', 'b@0'] }),
    ])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('a missing part that arrives late keeps that id even if it was sent in the previous hour', () => {
    const beforeTheHour = { sent: 22 * MINUTE }
    const { effects } = runReassembly([
      part(2, 'b', 0, { sent: 24 * MINUTE }),
      tick(HOUR),
      part(1, 'a', 2 * HOUR, beforeTheHour),
    ])
    expect(summariesOf(effects)).toEqual(['~…b', '=ab'])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('a missing part that arrives late but is not the last causes a second, longer partial message', () => {
    const of = { of: 3 }
    const inputs = [
      part(1, 'a', 0, of),
      tick(HOUR),
      part(3, 'c', 2 * HOUR, of),
      tick(3 * HOUR),
      part(2, 'b', 4 * HOUR, of),
    ]
    const { effects } = runReassembly(inputs)
    expect(summariesOf(effects)).toEqual(['~a…', '~a…c', '=abc'])
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('a missing part that is the next input after the wait completes the message without a partial message', () => {
    expect(summaryAfter([part(1, 'a', 0), part(2, 'b', 5 * HOUR)])).toEqual(['=ab'])
  })

  test('a missing part is given up when another message arrives, or on a tick', () => {
    expect(summaryAfter([part(1, 'a', 0), part(1, 'x', HOUR, { sender: '+1555' })])).toEqual(['~a…'])
  })

  test('a missing part is not expected longer after the clock is set back', () => {
    expect(summaryAfter([part(1, 'a', 30 * DAY), tick(0), tick(HOUR)])).toEqual(['~a…'])
  })
})

describe('the id of a message', () => {
  const three = { of: 3 }
  const parts = [
    part(1, 'a', 0, three),
    part(2, 'b', 0, { ...three, sent: 4000 }),
    part(3, 'c', 0, { ...three, sent: 9000 }),
  ]

  test('the id of a message is equal for any partial message, with any parts', () => {
    const subsets = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]].map((chosen) =>
      chosen.map((index) => parts[index]!),
    )
    expect(new Set(subsets.flatMap((subset) => ids(runReassembly([...subset, tick(HOUR)]).effects))).size).toBe(1)
  })

  test('the id of a message is equal for a complete message sent across the end of the hour, in any order', () => {
    const across = [part(1, 'a', 0, { sent: 22 * MINUTE }), part(2, 'b', 0, { sent: 24 * MINUTE })]
    expect(ids(runReassembly(across).effects)).toEqual(ids(runReassembly(across.toReversed()).effects))
  })

  test('the id of a message is equal for any partial message sent exactly on the hour, like scheduled messages', () => {
    const striking = [part(1, 'a', 0, { sent: -1000 }), part(2, 'b', 0, { sent: 2000 })]
    expect(new Set(striking.flatMap((one) => ids(runReassembly([one, tick(HOUR)]).effects))).size).toBe(1)
  })

  test('the id of a message differs after the first message is forgotten, also with invalid time stamps', () => {
    const message = (day: number) =>
      [1, 2].map((sequence) => {
        const stamp = { invalid: true, raw: new Uint8Array(7) } as const
        return part(sequence, 'a', day * DAY, { stamp, id: `${sequence} of day ${day}` })
      })
    const { effects } = runReassembly([...message(0), tick(8 * DAY), ...message(8)])
    expect(summariesOf(effects)).toEqual(['=aa', '=aa'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('the id of a message does not depend on when and where the parts were read', () => {
    const [first, second] = [part(1, 'a', 0), part(2, 'b', 0)]
    const later = [part(1, 'a', 3 * DAY, { id: 'x' }), part(2, 'b', 3 * DAY, { id: 'y' })]
    expect(ids(runReassembly([first, second]).effects)).toEqual(ids(runReassembly(later).effects))
  })
})

describe('a part that lost its last octet', () => {
  test('a part that lost its last octet marks the message, complete or partial, as truncated', () => {
    const cut = part(1, 'a', 0)
    if (cut.kind !== 'part-arrived') throw new Error('not a part')
    const truncated: ReassemblyInput = { ...cut, userData: { ...cut.userData, truncated: true } }
    const messages = (inputs: readonly ReassemblyInput[]) =>
      runReassembly(inputs).effects.flatMap((effect) =>
        effect.kind === 'part-duplicated' ? [] : effect.message.truncated,
      )
    expect(messages([truncated, part(2, 'b', 0)])).toEqual([true])
    expect(messages([truncated, tick(HOUR)])).toEqual([true])
    expect(messages([cut, part(2, 'b', 0)])).toEqual([false])
  })
})
