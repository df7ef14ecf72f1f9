// Breaks each rule of `npm run check` once, in a small copy of the repository, and expects the check to fail. Each tool
// runs once for all its rules, because its start takes most of the time.
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
const CLOCK = 'const { now } = Date\n\nexport const answer = now()\n'
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

test('lint refuses bad formatting, undeclared imports, barrels, swallowed errors and any', () => {
  write('libs/sms/src/spaces.ts', 'export const spaces   = 42;\n')
  const foreign = '@smsgw/modem/dialogue/dialogue'
  write('libs/sms/src/undeclared.ts', `import { x } from '${foreign}'\n\nexport const undeclared = x\n`)
  // A development dependency in code that ships.
  write('libs/sms/src/shipped.ts', "import { expect } from 'vitest'\n\nexport const shipped = expect\n")
  write('libs/sms/src/barrel.ts', "export * from './answer.ts'\n")
  write('libs/sms/src/swallowed.ts', 'export const swallowed = () => {\n  try {\n    JSON.parse("")\n  } catch {}\n}\n')
  write('libs/sms/src/any.ts', 'export const any = (x: any) => x\n')
  const { status, output } = lint()
  expect(status).toBe(1)
  expect(output).toMatch(/^libs\/sms\/src\/spaces\.ts format\b/m)
  for (const [file, rule] of [
    ['undeclared', 'noUndeclaredDependencies'],
    ['shipped', 'noUndeclaredDependencies'],
    ['barrel', 'noReExportAll'],
    ['swallowed', 'noEmptyBlockStatements'],
    ['any', 'noExplicitAny'],
  ])
    expect(output).toMatch(new RegExp(`^libs/sms/src/${file}\\.ts:\\S+ lint/\\w+/${rule}\\b`, 'm'))
})

test('the compiler refuses missing globals, wrong types, and TypeScript that Node cannot run unbuilt', () => {
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
  write('libs/sms/src/wrong.ts', 'export const wrong: string = 42\n')
  write('libs/sms/src/unbuilt.ts', 'export enum Answer {\n  Yes,\n}\n')
  // Only the house rules refuse the clock.
  write('libs/sms/src/now.ts', CLOCK)
  const { status, output } = types()
  expect(status).not.toBe(0)
  for (const [index, expression] of expressions.entries())
    expect(output, expression).toMatch(new RegExp(`^libs/sms/src/answer-${index}\\.ts.* error TS2\\d\\d\\d`, 'm'))
  expect(output).toMatch(/^libs\/sms\/src\/wrong\.ts.* error TS2322/m)
  expect(output).toMatch(/^libs\/sms\/src\/unbuilt\.ts.* error TS1294/m)
  expect(output).not.toContain('libs/sms/src/now.ts')
})

test('refuses an export that nothing imports', () => {
  write('libs/sms/src/answer.ts', `${GOOD}export const orphan = 1\n`)
  expect(deadCode()).toMatchObject({ status: 1, output: expect.stringContaining('orphan') })
})

test('the house rules refuse missing references, foreign imports, impure libs and a wrong lockfile', () => {
  write('apps/relay/package.json', '{"name":"@smsgw/relay"}')
  write('apps/relay/tsconfig.json', '{}')
  write('libs/sms/src/relative.ts', "export { dialogue } from '../../modem/src/dialogue.ts'\n")
  const refused = [
    [CLOCK, '(pure libs) reads the clock'],
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
  const config = read('libs/sms/tsconfig.json')
  write('libs/sms/tsconfig.json', JSON.stringify({ ...config, compilerOptions: { types: ['node'] } }))
  const manifest = read('libs/sms/package.json')
  write('libs/sms/package.json', JSON.stringify({ ...manifest, dependencies: { zod: '^4.0.0' } }))
  const { status, output } = houseRules()
  expect(status).toBe(1)
  for (const problem of [
    '(projects) does not reference apps/relay',
    'libs/sms/src/relative.ts:1 (relative imports) imports ../../modem/src/dialogue.ts',
    ...refused.map(([, problem], index) => `libs/sms/src/answer-${index}.ts:1 ${problem}`),
    'libs/sms/tsconfig.json (lib compilation) types must be []',
    '(exact versions) zod "^4.0.0"',
    '(lockfile) has no zod in dependencies of libs/sms',
  ])
    expect(output).toContain(problem)
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
