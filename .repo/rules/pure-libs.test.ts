import { expect, test } from 'vitest'
import { pureLibs } from './pure-libs.ts'
import { treeOfLiterals } from './repository-tree.ts'

const lint = (code: string, file = 'libs/sms/src/segment.ts') => pureLibs(treeOfLiterals({ [file]: code }))

test.each([
  ['const t = Date.now()'],
  ['const t = new Date()'],
  ['const t = new Date'],
  ['const t = Date()'],
  ['const x = Math.random()'],
  ['const p = globalThis.process'],
  ["import { readFileSync } from 'node:fs'"],
  ["import 'node:crypto'"],
  ["const fs = require('fs')"],
  ["const fs = await import('node:fs')"],
])('refuses %s in a lib', (code) => {
  const [violation] = lint(`\n${code}`)
  expect(violation).toMatchObject({ file: 'libs/sms/src/segment.ts', line: 2 })
})

test.each([
  ['const at = Date.UTC(2026, 2, 1)'],
  ['const at = new Date(epochMs)'],
  ['// never Date.now(): the time is an argument'],
  ["import { decodeAddress } from './address.ts'"],
])('allows %s', (code) => {
  expect(lint(code)).toEqual([])
})

test('tests and apps may use the clock', () => {
  expect(lint('Date.now()', 'libs/sms/src/segment.test.ts')).toEqual([])
  expect(lint('Date.now()', 'apps/agent/src/main.ts')).toEqual([])
})
