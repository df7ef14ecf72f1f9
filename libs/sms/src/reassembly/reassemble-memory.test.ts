import { describe, expect, test } from 'vitest'
import { DAY, HOUR, ids, MINUTE, part, runReassembly, summariesOf, tick, type Written } from './reassembly-run.ts'

describe('memory', () => {
  test('the memory of a complete message is limited in time; after that time, copies are not recognised', () => {
    const inputs = [part(1, 'a', 0), part(2, 'b', 0)]
    expect(runReassembly([...inputs, tick(7 * DAY - 1)]).state.groups).toHaveLength(1)
    expect(runReassembly([...inputs, tick(7 * DAY)]).state.groups).toEqual([])
  })

  test('the memory of a complete message does not contain its text', () => {
    const { state } = runReassembly([part(1, 'secret', 0), part(2, 'b', 0)])
    const [, held] = [state, JSON.stringify(state.groups.map(({ parts }) => parts.map(({ content }) => content)))]
    expect(held).toBe('[[null,null]]')
  })

  test('memory is freed from announced messages before incomplete ones, the oldest first', () => {
    const inputs = [
      part(1, 'w', 0, { reference: 1 }),
      part(1, 'a', 1, { reference: 2, of: 1 }),
      part(1, 'b', 2, { reference: 3, of: 1 }),
      part(1, 'c', 3, { reference: 4, of: 1 }),
    ]
    const { state, effects } = runReassembly(inputs, { maxGroups: 2 })
    expect(summariesOf(effects)).toEqual(['=a', '=b', '=c'])
    expect(state.groups.map(({ parts }) => parts[0]?.partId)).toEqual(['w@0', 'c@0'])
  })

  test('the memory for parts is limited: the oldest incomplete message is announced as a partial one', () => {
    const inputs = [1, 2, 3].map((reference) => part(1, `${reference}`, reference, { reference }))
    const { effects, state } = runReassembly(inputs, { maxParts: 2 })
    expect(effects).toEqual([expect.objectContaining({ kind: 'partial-released', because: 'no-room', missing: [2] })])
    expect(summariesOf(effects)).toEqual(['~1…'])
    expect(state.groups).toHaveLength(2)
  })

  test('the memory for parts is freed from released messages first', () => {
    const inputs = [
      part(1, '1', 2 * HOUR, { reference: 1 }),
      part(1, '2', 0, { reference: 2 }),
      part(1, '3', 2 * HOUR, { reference: 3 }),
    ]
    const [waiting, released, added] = inputs
    const { effects, state } = runReassembly([released!, tick(HOUR), waiting!, added!], { maxParts: 2 })
    expect(summariesOf(effects)).toEqual(['~2…'])
    expect(state.groups.map(({ parts }) => parts[0]?.partId)).toEqual(['1@0', '3@0'])
  })

  test('the memory for parts is freed from complete messages before released ones', () => {
    const inputs = [
      part(1, '1', 0, { reference: 1 }),
      part(1, '2', 0, { reference: 2, of: 1 }),
      part(1, '3', 0, { reference: 3 }),
    ]
    const { effects, state } = runReassembly(inputs, { maxParts: 2 })
    expect(summariesOf(effects)).toEqual(['=2'])
    expect(state.groups.map(({ parts }) => parts[0]?.partId)).toEqual(['1@0', '3@0'])
  })

  test('memory that was freed forgets the announced parts, so a late part gets a new id', () => {
    const inputs = [part(1, 'a', 0), part(1, 'x', 1, { reference: 8 }), part(2, 'b', 2), tick(2 * HOUR)]
    const { effects } = runReassembly(inputs, { maxGroups: 1 })
    expect(summariesOf(effects)).toEqual(['~a…', '~x…', '~…b'])
    expect(new Set(ids(effects)).size).toBe(3)
  })

  test('the memory of incomplete messages with one key is limited: the oldest is announced as a partial one', () => {
    const inputs = [1, 2, 3, 4].map((n) => part(1, `${n}`, n))
    const { effects, state } = runReassembly([...inputs, part(2, 'b', 5)], { maxIncompleteOfKey: 3 })
    expect(summariesOf(effects)).toEqual(['~1…', '=2b'])
    expect(effects[0]).toMatchObject({ because: 'no-room', missing: [2] })
    expect(state.groups).toHaveLength(3)
  })

  test('memory that becomes full completes a message whose halves are in two groups', () => {
    const inputs = [part(1, 'a', 0, { sent: HOUR }), part(2, 'b', 1), part(1, 'x', 2, { reference: 8 })]
    const { effects, state } = runReassembly(inputs, { maxGroups: 2 })
    expect(summariesOf(effects)).toEqual(['=ab'])
    expect(state.groups.map(({ phase }) => phase).toSorted()).toEqual(['complete', 'gathering'])
  })
})

describe('a flood', () => {
  const stranger = '+447700900666'
  const flood = (count: number, written: (n: number) => Written, atMs = 10) =>
    Array.from({ length: count }, (_, n) => part(1, `${n}`, atMs, { sender: stranger, width: 16, ...written(n) }))
  const limits = { maxGroups: 32, maxParts: 300, maxRememberedIds: 32 }

  test('a flood of complete messages does not affect the ids of the next messages of another sender', () => {
    const later = { sent: MINUTE }
    const inputs = [
      part(1, 'a', 0),
      part(2, 'b', 0),
      ...flood(100, (n) => ({ reference: n, of: 1 })),
      part(1, 'c', 20, later),
      part(2, 'd', 20, later),
    ]
    const { effects } = runReassembly(inputs, limits)
    expect(summariesOf(effects).filter((text) => /[a-d]/.test(text))).toEqual(['=ab', '=cd'])
    expect(new Set(ids(effects)).size).toBe(102)
  })

  test('a flood from a thousand senders does not reuse an id even after that sender is forgotten', () => {
    const later = { sent: MINUTE }
    const inputs = [
      part(1, 'a', 0),
      part(2, 'b', 0),
      ...flood(1000, (n) => ({ sender: `+4477${n + 100_000}`, of: 1 })),
      part(1, 'c', 20, later),
      part(2, 'd', 20, later),
    ]
    const { effects, state } = runReassembly(inputs, limits)
    expect(new Set(ids(effects)).size).toBe(1002)
    expect(state.usedIds.remembered.length).toBe(32)
  })

  test('a flood evicts its own messages, not incomplete or complete ones of other senders', () => {
    const others = [1, 2, 3].flatMap((n) => [
      part(1, 'a', n, { reference: n }),
      part(1, 'c', n, { reference: n + 100, of: 1 }),
    ])
    for (const written of [(n: number) => ({ reference: n }), (n: number) => ({ reference: n, of: 1 })]) {
      const { state } = runReassembly([...others, ...flood(200, written)], limits)
      const kept = state.groups.filter(({ source }) => !source.includes('666'))
      expect(kept.map(({ phase }) => phase).toSorted()).toEqual(['complete', 'complete', 'complete', ...ALL_WAITING])
    }
  })

  test('a flood of long messages evicts its own messages too', () => {
    const victim = part(1, 'a', 0)
    const many = Array.from({ length: 600 }, (_, n) =>
      part(1 + (n % 250), `${n}`, 10, { sender: stranger, reference: Math.floor(n / 250), of: 255 }),
    )
    const { state, effects } = runReassembly([victim, ...many], limits)
    expect(effects.every((effect) => effect.kind === 'partial-released' && effect.total === 255)).toBe(true)
    expect(summariesOf(runReassembly([victim, ...many, part(2, 'b', 20)], limits).effects)).toContain('=ab')
    expect(state.groups.length).toBeGreaterThan(1)
  })

  test('a flood from many senders does not evict two incomplete messages of another sender', () => {
    const waiting = [part(1, 'a', 20, { reference: 1 }), part(1, 'c', 20, { reference: 2 })]
    const { state } = runReassembly([...flood(30, (n) => ({ sender: `+4477${n + 100_000}` }), 10), ...waiting], {
      ...limits,
      maxGroups: 30,
    })
    expect(state.groups.slice(-2).map(({ sender }) => sender.value)).toEqual(['447700900123', '447700900123'])
    expect(state.groups).toHaveLength(30)
  })

  // The test does not measure time. With a slow implementation, it would exceed the time limit of the test runner.
  test.each<[string, (n: number) => Written]>([
    ['one key', () => ({})],
    ['one key, in one part', () => ({ of: 1 })],
    ['a key each', (n) => ({ reference: n })],
    ['a key each, in one part', (n) => ({ reference: n, of: 1 })],
    ['a sender each', (n) => ({ sender: `+4477${n + 100_000}` })],
    ['one key, each a second later', (n) => ({ sent: n * 1000 })],
  ])('a flood of 1500 parts from %s is processed in time, ticks included', (_, written) => {
    const inputs = flood(1500, written)
    const { effects, state } = runReassembly([...inputs, tick(2 * HOUR), tick(2 * HOUR), tick(8 * DAY)])
    expect(effects).toHaveLength(1500)
    expect(new Set(ids(effects)).size).toBe(1500)
    expect(state.groups).toEqual([])
  })
})

const ALL_WAITING = ['gathering', 'gathering', 'gathering']
