import { describe, expect, test } from 'vitest'
import { DAY, HOUR, happened, ids, MINUTE, part, run, tick, told } from './testing/reassembly-run.ts'

describe('a part that is left over', () => {
  test('is joined with what it lacks though two centres, whose clocks differ, took the parts', () => {
    const inputs = [part(1, 'a', 0, { sent: HOUR }), part(2, 'b', 2000, { sent: 0 })]
    const { effects, state } = run([...inputs, tick(2 * HOUR)])
    expect(told(effects)).toEqual(['=ab'])
    expect(effects[0]).toMatchObject({ wasReleased: false, partIds: ['a@3600000', 'b@0'] })
    expect(state.groups).toHaveLength(1)
  })

  test('is not joined with a part that came at another time, or from another day', () => {
    const first = part(1, 'a', 0, { sent: HOUR })
    expect(happened([first, part(2, 'b', 11 * MINUTE), tick(2 * HOUR)])).toEqual(['~a…', '~…b'])
    expect(happened([first, part(2, 'b', 0, { sent: -DAY }), tick(2 * HOUR)])).toEqual(['~a…', '~…b'])
  })

  test('waits for its own in a burst, where the parts of other messages come first', () => {
    const later = { sent: 15 * MINUTE }
    const inputs = [part(2, 'b', 0), part(1, 'c', 1, later), part(1, 'a', 2), part(2, 'd', 3, later)]
    expect(happened([...inputs, tick(2 * HOUR)])).toEqual(['=ab', '=cd'])
  })

  test('gets the words that an earlier message began with too, and that were taken for a copy', () => {
    const [a1, a2] = [part(1, 'A', 0), part(1, 'A', 20, { sent: 20_000 })]
    const [x, y] = [part(2, 'x', 30, { sent: 1000 }), part(2, 'y', 31, { sent: 21_000 })]
    for (const inputs of [
      [a1, a2, x, y],
      [a1, a2, y, x],
      [a1, x, a2, y],
    ]) {
      const { effects } = run([...inputs, tick(2 * HOUR)])
      expect(told(effects).toSorted()).toEqual(['=Ax', '=Ay'])
      expect(new Set(ids(effects)).size).toBe(2)
    }
  })

  test('does not get a part of the message before, which its sender submitted again', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 5, { sent: 5000 }), part(2, 'b', 40, { sent: 40_000, id: 'again' })]
    const { effects } = run([...inputs, part(1, 'c', 60, { sent: 60_000 }), tick(2 * HOUR)])
    expect(told(effects)).toEqual(['=ab', 'again<b@5000', '~c…'])
  })

  test('gets such words even if either half is like that of another message', () => {
    const sent = (sequence: number, text: string, seconds: number) =>
      part(sequence, text, seconds * 1000, { sent: seconds * 1000 })
    const messages = [sent(1, 'a', 0), sent(2, 'b', 5), sent(1, 'c', 100), sent(2, 'b', 105)]
    const { effects } = run([...messages, sent(1, 'a', 200), sent(2, 'b', 205), tick(2 * HOUR)])
    expect(told(effects)).toEqual(['=ab', '=cb', '=ab'])
  })

  test('is a copy of what was announced, never of what is only held', () => {
    const inputs = [0, 1, 2].map((n) => part(1, 'a', n * 1000, { sent: n * 1000, id: `${n}` }))
    const { effects } = run([...inputs, tick(2 * HOUR)], { maxIncompleteOfKey: 2 })
    expect(told(effects)).toEqual(['~a…', '~a…', '2<1'])
  })

  test('completes a message that was announced in part under the id that it has', () => {
    const of = { of: 3 }
    const inputs = [
      part(1, 'a', 0, of),
      tick(MINUTE),
      part(2, 'b', 1.5 * MINUTE, { ...of, sent: -HOUR }),
      part(3, 'c', 2 * MINUTE, of),
      tick(2.5 * MINUTE),
    ]
    const { effects } = run(inputs, { partialAfterMs: MINUTE })
    expect(told(effects)).toEqual(['~a…', '=abc'])
    expect(effects[1]).toMatchObject({ wasReleased: true })
    expect(new Set(ids(effects)).size).toBe(1)
  })

  test('stays apart when both halves were announced in part, for neither id may be left without its message', () => {
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
    const { effects } = run(inputs, { partialAfterMs: MINUTE })
    expect(told(effects)).toEqual(['~a…', '~…c…', '~ab…', '~…cd'])
    expect(new Set(ids(effects)).size).toBe(2)
  })

  test('does not get words that were sent long before', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0), part(1, 'a', 1, { sent: 5 * MINUTE, id: 'again' })]
    const late = part(2, 'd', 2, { sent: 16 * MINUTE })
    expect(happened([...inputs, late, tick(2 * HOUR)])).toEqual(['=ab', 'again<a@0', '~…d'])
  })
})
