import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GroupIdAllocator, noUsedGroupIds, type UsedGroupIds } from './group-ids.ts'

/** Allocates the ids of each step with a new allocator. */
function allocate(steps: readonly (readonly (readonly [string, number])[])[], maxRemembered: number) {
  let usedIds: UsedGroupIds = noUsedGroupIds
  const ids: string[] = []
  for (const step of steps) {
    const allocator = new GroupIdAllocator(usedIds)
    for (const [key, hour] of step) ids.push(allocator.allocate(key, hour))
    usedIds = allocator.usedIds(maxRemembered)
  }
  return { usedIds, ids }
}

describe('an allocated id', () => {
  test('an allocated id consists of key and hour the first time, and also of a number from the second time on', () => {
    const { ids } = allocate([[['k', 5]], [['k', 5]], [['k', 6]], [['k', 5]]], 10)
    expect(ids).toEqual(['k@5', 'k@5#2', 'k@6', 'k@5#3'])
  })

  test('an allocated id gets its numbers in the same way within a step', () => {
    const step = ['k', 'k', 'm', 'k'].map((key) => [key, 5] as const)
    const { ids } = allocate([[['k', 5]], step], 10)
    expect(ids).toEqual(['k@5', 'k@5#2', 'k@5#3', 'm@5', 'k@5#4'])
  })

  test('an allocated id is never allocated twice, even if few ids are remembered', () => {
    const request = fc.tuple(fc.constantFrom('k', 'l', 'm', 'n'), fc.integer({ min: 1, max: 4 }))
    fc.assert(
      fc.property(fc.array(fc.array(request, { maxLength: 4 })), fc.nat(5), (steps, maxRemembered) => {
        const { ids, usedIds } = allocate(steps, maxRemembered)
        expect(new Set(ids).size).toBe(ids.length)
        expect(usedIds.remembered.length).toBeLessThanOrEqual(maxRemembered)
      }),
    )
  })

  test('an allocated id has no number in the hours after those of the forgotten ids', () => {
    const { ids } = allocate([[['k', 5]], [['k', 5]], [['l', 5]], [['m', 5]], [['m', 6]]], 1)
    expect(ids).toEqual(['k@5', 'k@5#2', 'l@5', 'm@5#3', 'm@6'])
  })
})

describe('the ids in memory', () => {
  test('the ids in memory are the ids that were used last', () => {
    const { usedIds } = allocate([[['k', 1]], [['l', 1]], [['k', 1]], [['m', 1]]], 2)
    expect(usedIds.remembered.map(({ id }) => id)).toEqual(['k@1', 'm@1'])
    expect(usedIds.forgotten).toEqual({ hour: 1, number: 1 })
  })

  test('the ids in memory are the same object if a step allocates no id', () => {
    expect(new GroupIdAllocator(noUsedGroupIds).usedIds(0)).toBe(noUsedGroupIds)
  })
})
