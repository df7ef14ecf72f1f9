import { expect, test } from 'vitest'
import { pureLibs } from './pure-libs.ts'
import { treeOfLiterals } from './repository-tree.ts'

const lint = (code: string, file = 'libs/sms/src/segment.ts') => pureLibs(treeOfLiterals({ [file]: code }))

test.each([
  ['Date.now', 'const t = Date.now()'],
  ['Date.now after a string with slashes', "const t = ['//', Date.now()]"],
  ['Date.now within a template', `const t = \`\${Date.now()}\``],
  ['Date.now under another name', 'const { now } = Date'],
  ['Date.now by index', "const t = Date['now']()"],
  ['Date under another name', 'const C = Date; new C()'],
  ['Date as a base', 'class I extends Date {}'],
  ['Date in an object', 'const world = { clock: Date }'],
  ['Date.parse', 'const t = Date.parse(text)'],
  ['new Date()', 'const t = new Date()'],
  ['new Date', 'const t = new Date'],
  ['new Date with nothing but a comment', 'const t = new Date(/* */)'],
  ['new Date with several numbers', 'const t = new Date(2026, 1, f(1))'],
  ['new Date with a text', "const t = new Date('2026-01-01 00:00')"],
  ['new Date with a spread', 'const t = new Date(...parts)'],
  ['Date()', 'const t = Date()'],
  ['a getter of the local zone', 'const h = new Date(epochMs).getHours()'],
  ['the zone itself', 'const z = at.getTimezoneOffset()'],
  ['the language of the machine', 'const s = n.toLocaleString()'],
  ['Intl beyond the segmenter', 'const s = Intl.DateTimeFormat().format(at)'],
  ['Math.random', 'const x = Math.random()'],
  ['Math.random under another name', 'const { random } = Math'],
  ['globalThis', 'const p = globalThis.process'],
  ['Atomics.wait', 'Atomics.wait(cells, 0, 0)'],
  ['code from text', "const p = Function('return process')()"],
  ['the constructor of functions', "const p = f.constructor('return process')()"],
  ['import.meta', 'const u = import.meta.url'],
  ['a Node module', "import { readFileSync } from 'node:fs'"],
  ['a Node module without its prefix', "import fs from 'fs/promises'"],
  ['a bare import', "import 'node:crypto'"],
  ['require', "const fs = require('fs')"],
  ['a dynamic import', "const x = await import('./address.ts')"],
  ['TypeScript that Node cannot run', 'enum Alphabet { Gsm7 }'],
])('refuses %s in a lib', (_, code) => {
  expect(lint(code)[0]).toMatchObject({ file: 'libs/sms/src/segment.ts', problem: expect.any(String) })
})

test.each([
  ['const at = Date.UTC(2026, 2, 1)'],
  ['const at = new Date(epochMs)'],
  ['const at = new Date(Date.UTC(2026, 2, f([1, 2])))'],
  ['const at = new Date(\n  epochMs + zoneQuarters,\n)'],
  ['function f(at: Date, all: readonly Date[]): Map<string, Date> | Date { return at as Date }'],
  ['interface Clock { at: Date; now(): Date }'],
  ['const isDate = (x: unknown): x is Date => x instanceof Date'],
  ['// never Date.now(): the time is an argument'],
  ['/** What Date.now() gave. */'],
  ["const text = 'Date.now() Math.random()'"],
  ['const s: Intl.Segments = new Intl.Segmenter("en").segment(text)'],
  ['const x = Math.floor(Math.PI)'],
  ['const hour = at.getUTCHours()'],
  ['const day = frame.Date'],
  ["import { decodeAddress } from './address.ts'"],
])('allows %s', (code) => {
  expect(lint(code)).toEqual([])
})

test('reports the line', () => {
  expect(lint('/*\n*/\nconst a: Date[] = []\nconst t = Date.now()')).toMatchObject([{ line: 4 }])
})

test('accepts the clock in tests and apps', () => {
  expect(lint('Date.now()', 'libs/sms/src/segment.test.ts')).toEqual([])
  expect(lint('Date.now()', 'libs/sms/bench/bench-codec.ts')).toEqual([])
  expect(lint('Date.now()', 'apps/agent/src/main.ts')).toEqual([])
})

test('checks shared test code and JavaScript', () => {
  expect(lint('Date.now()', 'libs/modem/src/testing/clock.ts')).toHaveLength(1)
  expect(lint('Date.now()', 'libs/modem/src/clock.mjs')).toHaveLength(1)
})
