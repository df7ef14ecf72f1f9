import { expect, test } from 'vitest'
import { patientTests } from './patient-tests.ts'
import { treeOfLiterals } from './repository-tree.ts'

const linesOf = (text: string, file = 'apps/a/src/one.test.ts') =>
  patientTests(treeOfLiterals({ [file]: text })).map(({ line }) => line)

test.each([
  ['await expect.poll(() => count).toBe(3)'],
  ['await expect.poll(() => count, { interval: 5 }).toBe(3)'],
  ['await expect.poll(() => count, { timeout: 60_000 }).toBe(3)'],
  ['await vi.waitFor(() => expect(count).toBe(3), { timeout: 90_000, interval: 20 })'],
  ['await vi.waitUntil(() => f(count, 3), PATIENT)'],
  ['await vi.waitUntil(() => f(count, 3), 60_000)'],
  ['await expect.poll(() => f(count, 3)).toBe(4)'],
  ['// vi.waitUntil(() => count === 3)'],
  ["test('a', async () => {\n  await one\n})"],
  ["test('a', async () => {\n  await one\n}, 400_000)"],
  ["test('a', { timeout: 240_000 }, () => one())"],
  ["test('a', () => {\n  setInterval(() => {\n    one()\n  }, 5)\n})"],
  ["test('a', () => {\n  const client = open({ timeout: 50 }, () => 1)\n})"],
])('accepts %s', (text) => {
  expect(linesOf(text)).toEqual([])
})

test.each([
  ['await vi.waitUntil(() => count === 3)'],
  ['await vi.waitUntil(() => f(count, 3))'],
  ['await vi.waitFor(() => expect(count).toBe(3), { interval: 20 })'],
  ['await vi.waitFor(() => expect(count).toBe(3), { timeout: 5_000 })'],
  ['await vi.waitUntil(() => count === 3, 2_000)'],
  ['await expect.poll(() => count, { timeout: 1000 }).toBe(3)'],
  ['await expect\n  .poll(\n    () => f(count),\n    { timeout: 10_000 },\n  )\n  .toBe(3)'],
  ["test('a', async () => {\n  await one\n}, 60_000)"],
  ['beforeAll(async () => {\n  await one\n}, 120_000)'],
  ["test.each([1, 2])(\n  'a %d',\n  async () => {\n    await one\n  },\n  30_000,\n)"],
  ["test('a', { timeout: 60_000 }, async () => {\n  await one\n})"],
  ["describe('a', { timeout: 60_000 }, () => {\n  test('b', () => one())\n})"],
])('reports %s', (text) => {
  expect(linesOf(`const one = 1\n${text}`)).toEqual([2])
})

test('checks only tests', () => {
  const text = 'vi.waitUntil(() => isReady)'
  expect(linesOf(text, 'apps/a/src/one.ts')).toEqual([])
  for (const file of ['apps/a/src/testing/world.ts', 'apps/e2e/src/house/house.ts', 'apps/e2e/src/one.e2e.ts'])
    expect(linesOf(text, file)).toEqual([1])
})
