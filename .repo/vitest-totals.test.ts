import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TotalsReporter } from './vitest-totals.ts'

/** The source of a test file for each case, and the totals of its run. */
const runs: Readonly<Record<string, readonly [tests: string, totals: object]>> = {
  'tests by their result': [
    "test('a', () => 0); test('b', () => { throw 1 }); test.skip('c', () => 0); test.todo('d')",
    {
      passed: 1,
      failed: 1,
      skipped: 2,
      failedFiles: [{ file: 'some.test.js', passed: 1, failed: 1, skipped: 2 }],
    },
  ],
  'a suite whose beforeAll breaks as a failure': [
    "describe('s', () => { beforeAll(() => { throw 1 }); test('a', () => 0) })",
    { failed: 1 },
  ],
  'a suite whose afterAll breaks as a failure': [
    "describe('s', () => { afterAll(() => { throw 1 }); test('a', () => 0) })",
    { failed: 1 },
  ],
  'a file that does not load as a failure': ["throw new Error('no')", { failed: 1 }],
  'a failure with random values without a file to repeat': [
    "test('a', () => { throw new Error('Property failed after 3 tests') })",
    { failed: 1, failedFiles: [] },
  ],
  'an error outside of every test as a failure': [
    "test('a', () => { Promise.reject(new Error('late')) }); test('b', () => { throw 1 })",
    { failed: 2, failedFiles: [] },
  ],
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-totals-'))
  for (const [name, [tests]] of Object.entries(runs)) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'some.test.js'), tests)
  }
  // Runs all files in one process, because loading Vitest takes most of the time.
  const code = `
    const { startVitest } = await import('vitest/node')
    const { TotalsReporter } = await import(${JSON.stringify(join(import.meta.dirname, 'vitest-totals.ts'))})
    for (const root of ${JSON.stringify(Object.keys(runs).map((name) => join(folder, name)))}) {
      const reporters = [new TotalsReporter([root + '/totals.json'])]
      await (await startVitest('test', [], { root, config: false, globals: true, watch: false, reporters })).close()
    }
  `
  spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    env: { ...process.env, CI: 'true' },
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(Object.entries(runs))('counts %s', (name, [, totals]) => {
  expect(JSON.parse(readFileSync(join(folder, name, 'totals.json'), 'utf8'))).toMatchObject(totals)
})

test('a run that stops early leaves no totals of an earlier run', () => {
  const file = join(folder, 'totals.json')
  writeFileSync(file, '{"passed":1,"failed":0,"skipped":0}')
  new TotalsReporter([file]).onInit()
  expect(existsSync(file)).toBe(false)
})
