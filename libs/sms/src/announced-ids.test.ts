import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AnnouncedIds, IdGiver, noAnnouncedIds } from './announced-ids.ts'

/** Gives the ids of each step and forgets after it. */
function give(steps: readonly (readonly (readonly [string, number])[])[], maxKnownIds: number, from = noAnnouncedIds) {
  let announced: AnnouncedIds = from
  const given: string[] = []
  for (const step of steps) {
    const ids = new IdGiver(announced)
    for (const [kind, hour] of step) given.push(ids.give(kind, hour))
    announced = ids.announced(maxKnownIds)
  }
  return { announced, given }
}

describe('an id', () => {
  test('is the kind and hour alone the first time, and has a number behind it from then on', () => {
    const { given } = give([[['k', 5]], [['k', 5]], [['k', 6]], [['k', 5]]], 10)
    expect(given).toEqual(['k@5', 'k@5#2', 'k@6', 'k@5#3'])
  })

  test('is numbered in the same way within a step', () => {
    const step = ['k', 'k', 'm', 'k'].map((kind) => [kind, 5] as const)
    const { given } = give([[['k', 5]], step], 10)
    expect(given).toEqual(['k@5', 'k@5#2', 'k@5#3', 'm@5', 'k@5#4'])
  })

  test('is never given twice, however little is remembered', () => {
    const request = fc.tuple(fc.constantFrom('k', 'l', 'm', 'n'), fc.integer({ min: 1, max: 4 }))
    fc.assert(
      fc.property(fc.array(fc.array(request, { maxLength: 4 })), fc.nat(5), (steps, maxKnownIds) => {
        const { given, announced } = give(steps, maxKnownIds)
        expect(new Set(given).size).toBe(given.length)
        expect(announced.known.length).toBeLessThanOrEqual(maxKnownIds)
      }),
    )
  })

  test('is bare again in the hours after those that were forgotten', () => {
    const { given } = give([[['k', 5]], [['k', 5]], [['l', 5]], [['m', 5]], [['m', 6]]], 1)
    expect(given).toEqual(['k@5', 'k@5#2', 'l@5', 'm@5#3', 'm@6'])
  })
})

describe('the ids that are known', () => {
  test('are those that were given last', () => {
    const { announced } = give([[['k', 1]], [['l', 1]], [['k', 1]], [['m', 1]]], 2)
    expect(announced.known.map(({ id }) => id)).toEqual(['k@1', 'm@1'])
    expect(announced.forgotten).toEqual({ hour: 1, number: 1 })
  })

  test('are the very same when a step gives none', () => {
    expect(new IdGiver(noAnnouncedIds).announced(0)).toBe(noAnnouncedIds)
  })
})
