import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VERSION } from './version.ts'

test('the printed version is the version in package.json', () => {
  expect(JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version).toBe(VERSION)
})
