import { isDeepStrictEqual } from 'node:util'
import { shipsInLib } from './pure-libs.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { lineAt, readSource } from './source-text.ts'

/**
 * Libs are compiled without the types of Node and browsers, so the compiler proves that they use neither Node nor a
 * browser. This rule keeps the proof valid: no lib may change its compiler options, reference other types, or silence
 * the compiler. Tests and their setup in `src/testing` are compiled with the types of Node. The compiler refuses to
 * import them into a lib.
 */
export const libCompilation: Rule = (tree) => [
  ...tree.files.filter((file) => /^libs\/[^/]+\/tsconfig\.json$/.test(file)).flatMap((file) => options(tree, file)),
  ...tree.files.filter(shipsInLib).flatMap((file) => wayAround(tree, file)),
]

const REQUIRED = {
  extends: '../../tsconfig.base.json',
  include: ['src/**/*.ts'],
  exclude: ['src/**/*.test.ts', 'src/**/*.sim.test.ts', 'src/testing'],
}
const REQUIRED_OPTIONS = { lib: ['es2023'], types: [], rootDir: 'src' }
const FREE_OPTIONS = ['outDir', 'tsBuildInfoFile']

function options(tree: RepositoryTree, file: string): Violation[] {
  const { compilerOptions = {}, ...config } = JSON.parse(tree.read(file)) as Record<string, unknown> & {
    compilerOptions?: Record<string, unknown>
  }
  const differing = [...differences(REQUIRED, config), ...differences(REQUIRED_OPTIONS, compilerOptions)]
  const allowed = [...Object.keys(REQUIRED_OPTIONS), ...FREE_OPTIONS]
  const foreign = Object.keys(compilerOptions).filter((key) => !allowed.includes(key))
  return [
    ...differing.map(([key, value]) => ({ file, problem: `${key} must be ${JSON.stringify(value)}` })),
    ...foreign.map((key) => ({
      file,
      problem: `sets ${key}: remove it, because all libs use the options of the base file`,
    })),
  ]
}

function differences(required: object, actual: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(required).filter(([key, value]) => !isDeepStrictEqual(actual[key], value))
}

function wayAround(tree: RepositoryTree, file: string): Violation[] {
  const text = tree.read(file)
  const { code, comments } = readSource(file, text)
  const found: [offset: number, problem: string][] = []
  for (const { index } of code.matchAll(/(?<![\w$.])declare\s+[\w$'"]/g))
    found.push([index, 'declares a name that exists only outside libs: pass the value as an argument'])
  for (const { offset, text: comment } of comments) {
    if (/^\/\/\/\s*<reference\b/.test(comment)) found.push([offset, 'adds types (/// <reference>)'])
    if (/^[/*\s]*@ts-expect-error\b/m.test(comment)) found.push([offset, 'silences the compiler (@ts-expect-error)'])
  }
  return found.map(([offset, problem]) => ({ file, line: lineAt(text, offset), problem }))
}
