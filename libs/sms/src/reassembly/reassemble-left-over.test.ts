import { describe, expect, test } from 'vitest'
import { DAY, HOUR, ids, MINUTE, part, runReassembly, summariesOf, summaryAfter, tick } from './reassembly-run.ts'

describe('a leftover part', () => {
  test('a leftover part is joined with the missing parts although two service centres had different clocks', () => {
    const inputs = [part(1, 'a', 0, { sent: HOUR }), part(2, 'b', 2000, { sent: 0 })]
    const { effects, state } = runReassembly([...inputs, tick(2 * HOUR)])
    expect(summariesOf(effects)).toEqual(['=ab'])
    expect(effects[0]).toMatchObject({ wasReleased: false, partIds: ['a@3600000', 'b@0'] })
    expect(state.groups).toHaveLength(1)
  })

  test('a leftover part is not joined with a part that arrived at another time or was sent on another day', () => {
    const first = part(1, 'a', 0, { sent: HOUR })
    expect(summaryAfter([first, part(2, 'b', 11 * MINUTE), tick(2 * HOUR)])).toEqual(['~a…', '~…b'])
    expect(summaryAfter([first, part(2, 'b', 0, { sent: -DAY }), tick(2 * HOUR)])).toEqual(['~a…', '~…b'])
  })

  test('a leftover part waits for its own message in a burst of parts of other messages', () => {
    const later = { sent: 15 * MINUTE }
    const inputs = [part(2, 'b', 0), part(1, 'c', 1, later), part(1, 'a', 2), part(2, 'd', 3, later)]
    expect(summaryAfter([...inputs, tick(2 * HOUR)])).toEqual(['=ab', '=cd'])
  })

  test('a leftover part is joined with a part that counted as a copy of an earlier message with the same text', () => {
    const [a1, a2] = [part(1, 'A', 0), part(1, 'A', 20, { sent: 20_000 })]
    const [x, y] = [part(2, 'x', 30, { sent: 1000 }), part(2, 'y', 31, { sent: 21_000 })]
    for (const inputs of [
      [a1, a2, x, y],
      [a1, a2, y, x],
      [a1, x, a2, y],
    ]) {
      const { effects } = runReassembly([...inputs, tick(2 * HOUR)])
      expect(summariesOf(effects).toSorted()).toEqual(['=Ax', '=Ay'])
      expect(new Set(ids(effects)).size).toBe(2)
    }
  })

  test('a leftover part is not joined with a resent part of the previous message', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 5, { sent: 5000 }), part(2, 'b', 40, { sent: 40_000, id: 'again' })]
    const { effects } = runReassembly([...inputs, part(1, 'c', 60, { sent: 60_000 }), tick(2 * HOUR)])
    expect(summariesOf(effects)).toEqual(['=ab', 'again<b@5000', '~c…'])
  })

  test('a leftover part is joined with a resent part if both halves equal halves of other messages', () => {
    const sent = (sequence: number, text: string, seconds: number) =>
      part(sequence, text, seconds * 1000, { sent: seconds * 1000 })
    const messages = [sent(1, 'a', 0), sent(2, 'b', 5), sent(1, 'c', 100), sent(2, 'b', 105)]
    const { effects } = runReassembly([...messages, sent(1, 'a', 200), sent(2, 'b', 205), tick(2 * HOUR)])
    expect(summariesOf(effects)).toEqual(['=ab', '=cb', '=ab'])
  })

  test('a leftover part is a copy only of a part that was announced', () => {
    const inputs = [0, 1, 2].map((n) => part(1, 'a', n * 1000, { sent: n * 1000, id: `${n}` }))
    const { effects } = runReassembly([...inputs, tick(2 * HOUR)], { maxIncompleteOfKey: 2 })
    expect(summariesOf(effects)).toEqual(['~a…', '~a…', '2<1'])
  })

  test('a leftover part completes a partial message under its id', () => {
    const of = { of: 3 }
    const inputs = [
      part(1, 'a', 0, of),
      tick(MINUTE),
      part(2, 'b', 1.5 * MINUTE, { ...of, sent: -HOUR }),
      part(3, 'c', 2 * MINUTE, of),
      tick(2.5 * MINUTE),
    ]
    const { effects } = runReassembly(inputs, { partialAfterMs: MINUTE })
    expect(summariesOf(effects)).toEqual(['~a…', '=abc'])
    expect(effects[1]).toMatchObject({ wasReleased: true })
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('a leftover part is not joined if both halves were announced, so that each id keeps its message', () => {
    const [later, earlier] = [
      { of: 4, sent: HOUR },
      { of: 4, sent: 0 },
    ]
    const inputs = [
      part(1, 'a', 0, later),
      part(3, 'c', 0, earlier),
      tick(MINUTE),
      part(2, 'b', 2 * MINUTE, later),
      part(4, 'd', 2 * MINUTE, earlier),
      tick(3 * MINUTE),
    ]
    const { effects } = runReassembly(inputs, { partialAfterMs: MINUTE })
    expect(summariesOf(effects)).toEqual(['~a…', '~…c…', '~ab…', '~…cd'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('a leftover part is not joined with a part that was sent long before', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0), part(1, 'a', 1, { sent: 5 * MINUTE, id: 'again' })]
    const late = part(2, 'd', 2, { sent: 16 * MINUTE })
    expect(summaryAfter([...inputs, late, tick(2 * HOUR)])).toEqual(['=ab', 'again<a@0', '~…d'])
  })
})
