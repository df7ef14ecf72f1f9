import { describe, expect, test } from 'vitest'
import { addressFromText } from '../fields/address.ts'
import type { HeldPart } from './held-part.ts'
import { fits, type PartGroup } from './part-group.ts'

const MINUTE = 60_000
const habits = { longestPauseMs: 60 * MINUTE, longestDisorderMs: 10 * MINUTE }

function held(sequence: number, atMs: number, sentMs: number | null): HeldPart {
  return { partId: `${sequence}`, sequence, sentMs, atMs, fingerprint: '', content: null }
}

function groupOf(...parts: readonly HeldPart[]): PartGroup {
  return {
    key: 'key',
    source: 'source',
    sim: 'sim',
    sender: addressFromText('Bank'),
    total: 3,
    phase: 'gathering',
    startedBy: '1',
    groupId: null,
    parts,
    lastAtMs: 0,
    repeatOf: null,
  }
}

describe('a part fits a group', () => {
  test('a part fits a group up to the longest pause after an earlier part, and up to the longest disorder before it', () => {
    const group = groupOf(held(2, 0, 0))
    expect(fits(group, held(3, 0, 60 * MINUTE), habits)).toBe(true)
    expect(fits(group, held(3, 0, 60 * MINUTE + 1), habits)).toBe(false)
    expect(fits(group, held(3, 0, -10 * MINUTE), habits)).toBe(true)
    expect(fits(group, held(3, 0, -10 * MINUTE - 1), habits)).toBe(false)
    expect(fits(group, held(1, 0, 10 * MINUTE), habits)).toBe(true)
    expect(fits(group, held(1, 0, 10 * MINUTE + 1), habits)).toBe(false)
  })

  // Parts may not arrive in the order in which they were sent.
  test.each([
    ['its own', held(2, 60 * MINUTE, 0), held(3, 0, null)],
    ['the other', held(2, 60 * MINUTE, null), held(3, 0, 0)],
  ])('a part fits a group in any order up to the longest pause when %s time stamp is invalid', (_, other, part) => {
    expect(fits(groupOf(other), part, habits)).toBe(true)
    expect(fits(groupOf({ ...other, atMs: 60 * MINUTE + 1 }), part, habits)).toBe(false)
  })

  test('a part fits a group only if the group lacks this part', () => {
    expect(fits(groupOf(held(1, 0, 0), held(2, 0, 0)), held(2, 0, 0), habits)).toBe(false)
  })
})
