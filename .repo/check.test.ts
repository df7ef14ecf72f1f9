// Breaks each rule of `npm run check` once, in a small copy of the repository, and sees the tool refuse it.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const COPIED = [
  '.biome.json',
  '.knip.json',
  '.gitignore',
  'package.json',
  'tsconfig.base.json',
  'libs/sms/package.json',
  'libs/sms/tsconfig.json',
]
const GOOD = 'export const answer = 42\n'
const USE =
  "import { expect, test } from 'vitest'\nimport { answer } from './answer.ts'\n\ntest('is', () => expect(answer).toBe(42))\n"

let copy: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'smsgw-check-'))
  for (const file of COPIED) cpSync(join(root, file), join(copy, file))
  mkdirSync(join(copy, 'node_modules'))
  symlinkSync(join(root, 'node_modules/vitest'), join(copy, 'node_modules/vitest'))
  write('libs/sms/src/answer.ts', GOOD)
  write('libs/sms/src/answer.test.ts', USE)
})

afterEach(() => rmSync(copy, { recursive: true, force: true }))

test('the unbroken copy passes lint, types and dead code', () => {
  expect(lint()).toMatchObject({ status: 0 })
  expect(types()).toMatchObject({ status: 0 })
  expect(deadCode()).toMatchObject({ status: 0 })
})

test('refuses code that is not formatted', () => {
  write('libs/sms/src/answer.ts', 'export const answer   = 42;\n')
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('format') })
})

test('refuses an import of a project that the manifest does not list', () => {
  write('libs/sms/src/answer.ts', "import { x } from '@smsgw/modem/dialogue'\n\nexport const answer = x\n")
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('noUndeclaredDependencies') })
})

test('refuses a development dependency in code that ships', () => {
  write('libs/sms/src/answer.ts', "import { expect } from 'vitest'\n\nexport const answer = expect\n")
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('noUndeclaredDependencies') })
})

test('refuses a barrel, a swallowed error and a leftover any', () => {
  write('libs/sms/src/answer.ts', "export * from './other.ts'\n")
  expect(lint().output).toContain('noReExportAll')
  write('libs/sms/src/answer.ts', 'export const answer = () => {\n  try {\n    JSON.parse("")\n  } catch {}\n}\n')
  expect(lint().output).toContain('noEmptyBlockStatements')
  write('libs/sms/src/answer.ts', 'export const answer = (x: any) => x\n')
  expect(lint().output).toContain('noExplicitAny')
})

test.each([
  'setTimeout(() => 0, 1)',
  'process.env',
  'Buffer.from([])',
  'console.log(1)',
  'performance.now()',
  'fetch("x")',
  'crypto.randomUUID()',
])('refuses %s in a lib: it does not exist there', (expression) => {
  write('libs/sms/src/answer.ts', `export const answer = ${expression}\n`)
  expect(types()).toMatchObject({ status: expect.any(Number), output: expect.stringMatching(/error TS2\d\d\d/) })
  expect(types().status).not.toBe(0)
})

test('refuses a wrong type and TypeScript that Node cannot run unbuilt', () => {
  write('libs/sms/src/answer.ts', 'export const answer: string = 42\n')
  expect(types().output).toContain('TS2322')
  write('libs/sms/src/answer.ts', 'export enum Answer {\n  Yes,\n}\n')
  expect(types().output).toContain('TS1294')
})

test('refuses an export that nothing imports', () => {
  write('libs/sms/src/answer.ts', `${GOOD}export const orphan = 1\n`)
  expect(deadCode()).toMatchObject({ status: 1, output: expect.stringContaining('orphan') })
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
}

const lint = () => run('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', 'libs'])
const types = () => run('typescript/bin/tsc', ['-b', 'libs/sms'])
const deadCode = () => run('knip/bin/knip.js', ['--no-progress', '--include', 'files,exports'])

function run(bin: string, args: string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, [join(root, 'node_modules', bin), ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  })
  return { status: result.status, output: `${result.stdout}${result.stderr}` }
}
