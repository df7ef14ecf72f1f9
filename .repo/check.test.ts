// Breaks each rule of `npm run check` once, in a small copy of the repository, and expects the check to fail.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
  '.repo/package.json',
  '.repo/without-telemetry',
  '.repo/rules',
  'libs/sms/package.json',
  'libs/sms/tsconfig.json',
]
const IMPORT_TABLE =
  '# copy\n\n## Who may import whom\n\n| project | imports | tests also import |\n|---|---|---|\n| `sms` | – | – |\n'
const GOOD = 'export const answer = 42\n'
const USE =
  "import { expect, test } from 'vitest'\nimport { answer } from './answer.ts'\n\ntest('is', () => expect(answer).toBe(42))\n"

let copy: string

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'smsgw-check-'))
  for (const file of COPIED) cpSync(join(root, file), join(copy, file), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of ['vitest', 'oxc-parser', 'intl-messageformat'])
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  write('docs/architecture.md', IMPORT_TABLE)
  write(
    '.config/tsconfig.json',
    JSON.stringify({ ...read('.config/tsconfig.json'), references: [{ path: '../libs/sms' }] }),
  )
  write('package-lock.json', JSON.stringify(lockfileOfCopy()))
  // The copy does not contain the files that still have to be rewritten, so their list is empty.
  write(
    '.repo/rules/plain-words.json',
    JSON.stringify({ ...read('.repo/rules/plain-words.json'), notYetRewritten: [] }),
  )
  const { '.repo/rules': rules } = read('.repo/full-folders.json')
  write('.repo/full-folders.json', JSON.stringify({ '.repo/rules': rules }))
  write('libs/sms/src/answer.ts', GOOD)
  write('libs/sms/src/answer.test.ts', USE)
})

afterEach(() => rmSync(copy, { recursive: true, force: true }))

test('accepts the unchanged copy, also without git', () => {
  expect(lint()).toMatchObject({ status: 0 })
  expect(types()).toMatchObject({ status: 0 })
  expect(deadCode()).toMatchObject({ status: 0 })
  expect(houseRules()).toMatchObject({ status: 0, output: expect.stringContaining('files follow the rules') })
})

test('refuses code that is not formatted', () => {
  write('libs/sms/src/answer.ts', 'export const answer   = 42;\n')
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('format') })
})

test('refuses an import of a project that the manifest does not list', () => {
  write('libs/sms/src/answer.ts', "import { x } from '@smsgw/modem/dialogue/dialogue'\n\nexport const answer = x\n")
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('noUndeclaredDependencies') })
})

test('refuses a development dependency in code that ships', () => {
  write('libs/sms/src/answer.ts', "import { expect } from 'vitest'\n\nexport const answer = expect\n")
  expect(lint()).toMatchObject({ status: 1, output: expect.stringContaining('noUndeclaredDependencies') })
})

test('refuses a barrel, a swallowed error and a leftover any', () => {
  write('libs/sms/src/barrel.ts', "export * from './answer.ts'\n")
  write('libs/sms/src/swallowed.ts', 'export const swallowed = () => {\n  try {\n    JSON.parse("")\n  } catch {}\n}\n')
  write('libs/sms/src/any.ts', 'export const any = (x: any) => x\n')
  const { output } = lint()
  for (const [file, rule] of [
    ['barrel', 'noReExportAll'],
    ['swallowed', 'noEmptyBlockStatements'],
    ['any', 'noExplicitAny'],
  ])
    expect(output).toMatch(new RegExp(`^libs/sms/src/${file}\\.ts:\\S+ lint/\\w+/${rule}\\b`, 'm'))
})

test('refuses globals that a lib does not have', () => {
  const expressions = [
    'setTimeout(() => 0, 1)',
    'process.env',
    'Buffer.from([])',
    'console.log(1)',
    'performance.now()',
    'fetch("x")',
    'crypto.randomUUID()',
  ]
  for (const [index, expression] of expressions.entries())
    write(`libs/sms/src/answer-${index}.ts`, `export const answer = ${expression}\n`)
  const { status, output } = types()
  expect(status).not.toBe(0)
  for (const [index, expression] of expressions.entries())
    expect(output, expression).toMatch(new RegExp(`^libs/sms/src/answer-${index}\\.ts.* error TS2\\d\\d\\d`, 'm'))
})

test('refuses a wrong type and TypeScript that Node cannot run unbuilt', () => {
  write('libs/sms/src/wrong.ts', 'export const wrong: string = 42\n')
  write('libs/sms/src/unbuilt.ts', 'export enum Answer {\n  Yes,\n}\n')
  const { output } = types()
  expect(output).toMatch(/^libs\/sms\/src\/wrong\.ts.* error TS2322/m)
  expect(output).toMatch(/^libs\/sms\/src\/unbuilt\.ts.* error TS1294/m)
})

test('refuses an export that nothing imports', () => {
  write('libs/sms/src/answer.ts', `${GOOD}export const orphan = 1\n`)
  expect(deadCode()).toMatchObject({ status: 1, output: expect.stringContaining('orphan') })
})

test('refuses a project that is never compiled', () => {
  write('apps/relay/package.json', '{"name":"@smsgw/relay"}')
  write('apps/relay/tsconfig.json', '{}')
  expectRefused('(projects) does not reference apps/relay')
})

test('refuses a relative import of another project', () => {
  write('libs/sms/src/answer.ts', "export { dialogue } from '../../modem/src/dialogue.ts'\n")
  expectRefused('libs/sms/src/answer.ts:1 (relative imports) imports ../../modem/src/dialogue.ts')
})

test('refuses the clock in a lib, which the compiler accepts', () => {
  write('libs/sms/src/answer.ts', 'const { now } = Date\n\nexport const answer = now()\n')
  expect(types()).toMatchObject({ status: 0 })
  expectRefused('libs/sms/src/answer.ts:1 (pure libs) reads the clock')
})

test('refuses a lib that avoids the checks of the compiler', () => {
  const refused = [
    [
      'declare const process: { pid: number }\n\nexport const answer = process.pid\n',
      '(lib compilation) declares a name that exists only outside libs',
    ],
    ['/// <reference types="node" />\nexport const answer = process.pid\n', '(lib compilation) adds types'],
    [
      '// @ts-expect-error\nexport const answer = process.pid\n',
      '(lib compilation) silences the compiler (@ts-expect-error)',
    ],
    ['// @ts-nocheck\nexport const answer = process.pid\n', '(type-checked) silences the compiler (@ts-nocheck)'],
  ] as const
  for (const [index, [code]] of refused.entries()) write(`libs/sms/src/answer-${index}.ts`, code)
  expectRefused(...refused.map(([, problem], index) => `libs/sms/src/answer-${index}.ts:1 ${problem}`))
})

test('refuses a lib that uses the types of Node', () => {
  const config = read('libs/sms/tsconfig.json')
  write('libs/sms/tsconfig.json', JSON.stringify({ ...config, compilerOptions: { types: ['node'] } }))
  expectRefused('libs/sms/tsconfig.json (lib compilation) types must be []')
})

test('refuses a manifest that does not match the lockfile', () => {
  const manifest = read('libs/sms/package.json')
  write('libs/sms/package.json', JSON.stringify({ ...manifest, dependencies: { zod: '^4.0.0' } }))
  expectRefused('(exact versions) zod "^4.0.0"', '(lockfile) has no zod in dependencies of libs/sms')
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
}

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

/** Returns the lockfile of this repository without the projects that the copy does not contain. */
function lockfileOfCopy(): object {
  const { packages } = read('package-lock.json') as { packages: Record<string, object> }
  const copied = Object.entries(packages).filter(([path]) => !/^(?:apps|libs|packages)\/(?!sms$)[^/]+$/.test(path))
  return { packages: Object.fromEntries(copied) }
}

function expectRefused(...problems: readonly string[]): void {
  const { status, output } = houseRules()
  expect(status).toBe(1)
  for (const problem of problems) expect(output).toContain(problem)
}

const lint = () => run('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', '--colors=off', 'libs'])
const types = () => run('typescript/bin/tsc', ['-b', 'libs/sms'])
const deadCode = () => run('knip/bin/knip.js', ['--no-progress', '--include', 'files,exports'])

const houseRules = () => node(join(copy, '.repo/rules/run-rules.ts'), [])

function run(bin: string, args: string[]): Outcome {
  return node(join(root, 'node_modules', bin), args)
}

interface Outcome {
  readonly status: number | null
  readonly output: string
}

function node(script: string, args: string[]): Outcome {
  const result = spawnSync(process.execPath, [script, ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  })
  return { status: result.status, output: `${result.stdout}${result.stderr}` }
}
