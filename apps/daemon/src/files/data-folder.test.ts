import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeDataFolder } from './data-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-data-folder-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a second lock on the same folder fails and names the process that holds it', () => {
  const held = takeDataFolder(folder)
  expect(() => takeDataFolder(folder)).toThrow(
    `${folder} is in use by process ${process.pid}: stop that process, or set DATA_DIR to another folder`,
  )
  held.release()
  takeDataFolder(folder).release()
})

test('the lock survives garbage collection and ends when the process is killed', async () => {
  const code = `
    const { takeDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))})
    takeDataFolder(${JSON.stringify(folder)})
    gc()
    console.log('held')
    setInterval(() => 0, 1000)
  `
  const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  expect(() => takeDataFolder(folder)).toThrow(`is in use by process ${holder.pid}`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  takeDataFolder(folder).release()
})

test('creates missing parent folders', () => {
  const deep = join(folder, 'a/b')
  takeDataFolder(deep).release()
})

test('an unusable folder causes one error with a solution', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  for (const path of [file, join(file, 'deeper')])
    expect(() => takeDataFolder(path)).toThrow(`${file} is not a folder. Set DATA_DIR to a writable folder`)
  writeFileSync(join(folder, 'lock'), 'not a database, and longer than the hundred bytes of its header'.repeat(10))
  chmodSync(join(folder, 'lock'), 0o600)
  expect(() => takeDataFolder(folder)).toThrow('cannot be used: file is not a database')
})

test.runIf(process.platform === 'linux')(
  'reports a folder on a file system that refuses new folders as an error, at any depth',
  () => {
    for (const path of ['/proc/nope', '/proc/nope/deeper'])
      expect(() => takeDataFolder(path)).toThrow(`${path} cannot be used: ENOENT`)
  },
)
