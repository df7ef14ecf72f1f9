import { expect, test } from 'vitest'
import { commonVersion, versionRefusal } from './versions.ts'

test.each([
  [{ min: 1, max: 1 }, { min: 1, max: 1 }, 1],
  [{ min: 1, max: 2 }, { min: 2, max: 3 }, 2],
  [{ min: 2, max: 3 }, { min: 1, max: 9 }, 3],
  [{ min: 1, max: 2 }, { min: 3, max: 4 }, undefined],
  [{ min: 3, max: 4 }, { min: 1, max: 2 }, undefined],
  [{ min: 1, max: 1 }, { min: 3, max: 2 }, undefined],
])('the highest common version of %o and %o is %s', (ours, theirs, common) => {
  expect(commonVersion(ours, theirs)).toBe(common)
})

test('a refusal contains the supported range', () => {
  expect(versionRefusal({ min: 2, max: 3 })).toContain('versions 2 to 3')
})
