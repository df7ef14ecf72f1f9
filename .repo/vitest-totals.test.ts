import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { TotalsReporter } from './vitest-totals.ts'

// Every test starts processes, and the machine may be busy.
vi.setConfig({ testTimeout: 30_000 })

const REPORTER = join(import.meta.dirname, 'vitest-totals.ts')
const VITEST = resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs')

test('counts tests by their result', () => {
  const tests = "test('a', () => 0); test('b', () => { throw 1 }); test.skip('c', () => 0); test.todo('d')"
  expect(totalsOf(tests)).toEqual({ passed: 1, failed: 1, skipped: 2 })
})

test.each([
  ['a suite whose beforeAll breaks', "describe('s', () => { beforeAll(() => { throw 1 }); test('a', () => 0) })"],
  ['a suite whose afterAll breaks', "describe('s', () => { afterAll(() => { throw 1 }); test('a', () => 0) })"],
  ['a file that does not load', "throw new Error('no')"],
  ['an error outside of every test', "test('a', () => { Promise.reject(new Error('late')) })"],
])('%s is a failure, though no test failed', (_name, tests) => {
  expect(totalsOf(tests)).toMatchObject({ failed: 1 })
})

test('a run that ends early leaves no totals of an earlier run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-totals-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'totals.json')
  writeFileSync(file, '{"passed":1,"failed":0,"skipped":0}')
  new TotalsReporter([file]).onInit()
  expect(existsSync(file)).toBe(false)
})

function totalsOf(tests: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-totals-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'totals.json')
  const config = `
    import { TotalsReporter } from ${JSON.stringify(REPORTER)}
    export default { test: { globals: true, reporters: [new TotalsReporter([${JSON.stringify(file)}])] } }
  `
  writeFileSync(join(folder, 'vitest.config.mjs'), config)
  writeFileSync(join(folder, 'some.test.js'), tests)
  spawnSync(process.execPath, [VITEST, 'run', '--root', folder], { env: { ...process.env, CI: 'true' } })
  return JSON.parse(readFileSync(file, 'utf8'))
}
