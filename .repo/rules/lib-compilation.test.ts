import { expect, test } from 'vitest'
import { libCompilation } from './lib-compilation.ts'
import { treeOfLiterals } from './repository-tree.ts'

const good = {
  extends: '../../tsconfig.base.json',
  compilerOptions: { lib: ['es2023'], types: [], rootDir: 'src', outDir: 'x', tsBuildInfoFile: 'y' },
  references: [{ path: '../sms' }],
  include: ['src/**/*.ts'],
  exclude: ['src/**/*.test.ts', 'src/**/*.sim.test.ts', 'src/testing'],
}

const problems = (config: object, folder = 'libs/modem') =>
  libCompilation(treeOfLiterals({ [`${folder}/tsconfig.json`]: JSON.stringify(config) })).map((v) => v.problem)
const inCode = (code: string, file = 'libs/modem/src/modem.ts') =>
  libCompilation(treeOfLiterals({ [file]: code })).map((v) => `${v.line}: ${v.problem}`)

test('accepts the common options in libs, and any options in apps', () => {
  expect(problems(good)).toEqual([])
  expect(problems({ compilerOptions: { types: ['node'] } }, 'apps/agent')).toEqual([])
})

test.each([
  ['types must be []', { types: ['node'] }],
  ['lib must be ["es2023"]', { lib: ['es2023', 'dom'] }],
  ['rootDir must be "src"', { rootDir: '.' }],
  ['sets strict: remove it, because all libs use the options of the base file', { strict: false }],
  ['sets paths: remove it, because all libs use the options of the base file', { paths: {} }],
])('refuses a lib whose tsconfig differs: %s', (problem, change) => {
  expect(problems({ ...good, compilerOptions: { ...good.compilerOptions, ...change } })).toEqual([problem])
})

test('refuses a lib that removes options or excludes files', () => {
  const { types: _, ...withoutTypes } = good.compilerOptions
  expect(problems({ ...good, compilerOptions: withoutTypes })).toEqual(['types must be []'])
  expect(problems({ ...good, exclude: ['src/clock.ts'] })[0]).toContain('exclude must be')
  expect(problems({ ...good, include: ['src/modem.ts'] })[0]).toContain('include must be')
  expect(problems({ ...good, extends: './own.json' })[0]).toContain('extends must be')
})

test.each([
  [
    'declare const process: { env: object }',
    '2: declares a name that exists only outside libs: pass the value as an argument',
  ],
  [
    'declare global {\n  const process: object\n}',
    '2: declares a name that exists only outside libs: pass the value as an argument',
  ],
  ["declare module 'node:fs'", '2: declares a name that exists only outside libs: pass the value as an argument'],
  ['/// <reference types="node" />', '2: adds types (/// <reference>)'],
  ['///<reference lib="dom" />', '2: adds types (/// <reference>)'],
  ['// @ts-expect-error\nprocess.exit()', '2: silences the compiler (@ts-expect-error)'],
  ['/*\n * @ts-expect-error\n */\nprocess.exit()', '2: silences the compiler (@ts-expect-error)'],
])('refuses in a lib: %s', (code, problem) => {
  expect(inCode(`\n${code}`)).toEqual([problem])
})

test('accepts the forbidden words in tests, prose and strings', () => {
  expect(inCode('// @ts-expect-error\nf(1)', 'libs/modem/src/modem.test.ts')).toEqual([])
  expect(inCode('// what others declare const, and no @ts-expect-error')).toEqual([])
  expect(inCode("const s = 'declare const x'")).toEqual([])
})
