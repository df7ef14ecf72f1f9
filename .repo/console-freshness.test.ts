import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isConsoleFresh } from './console-freshness.ts'

const sources = [
  'apps/console/src/devices/devices.tsx',
  'apps/console/src/devices/old-page.tsx',
  'apps/console/public/icon.svg',
  'apps/console/index.html',
  'apps/console/vite.config.ts',
  'libs/sms/src/segment.ts',
  'package-lock.json',
  '.repo/build-console.ts',
]
const folders = ['apps/console/src', 'apps/console/src/devices', 'apps/console/public', 'libs/sms/src']

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-console-freshness-'))
  for (const file of sources) write(file)
  for (const path of [...sources, ...folders]) utimesSync(join(root, path), 1_000, 1_000)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a console is up to date only if it was built after its last change', () => {
  expect(isConsoleFresh(root)).toBe(false)
  write('apps/console/dist/.built')
  expect(isConsoleFresh(root)).toBe(true)
})

test.each(sources)('the console is built again when %s has changed since the last build', (file) => {
  write('apps/console/dist/.built')
  utimesSync(join(root, 'apps/console/dist/.built'), 2_000, 2_000)
  utimesSync(join(root, file), 3_000, 3_000)
  expect(isConsoleFresh(root)).toBe(false)
})

test('the console is out of date after a file was removed', () => {
  write('apps/console/dist/.built')
  utimesSync(join(root, 'apps/console/dist/.built'), 2_000, 2_000)
  expect(isConsoleFresh(root)).toBe(true)
  rmSync(join(root, 'apps/console/src/devices/old-page.tsx'))
  expect(isConsoleFresh(root)).toBe(false)
})

function write(file: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), '')
}
