import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeDurably } from './durable-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-durable-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('replaces a file as a whole, with mode 0600, and leaves no temporary file', () => {
  const file = join(folder, 'credentials.json')
  writeDurably(file, 'a long first content\n')
  writeDurably(file, 'short\n')
  expect(readFileSync(file, 'utf8')).toBe('short\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['credentials.json'])
})

test('keeps the old content if there is space only for a part of the new content', () => {
  const file = join(folder, 'encryption-keys.json')
  writeDurably(file, 'old')
  const script = `import { writeDurably } from '${join(import.meta.dirname, 'durable-file.ts')}'
    try { writeDurably('${file}', 'x'.repeat(3000)) } catch (error) { console.log(error.code, error.path) }`
  // A process that may write files of at most 1 KiB gets a short write, as on a disk that becomes full.
  const limited = ['-c', 'ulimit -f 1; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  const { stdout } = spawnSync('bash', limited, { encoding: 'utf8' })
  expect(stdout).toBe(`EFBIG ${file}\n`)
  expect(readFileSync(file, 'utf8')).toBe('old')
})
