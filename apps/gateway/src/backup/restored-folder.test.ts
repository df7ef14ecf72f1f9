import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { beginArrival } from './restored-folder.ts'

test('a restore begins although the database of a killed restore still writes into the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-restored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const leftover = join(folder, 'arriving', 'postgres')
  mkdirSync(leftover, { recursive: true })
  const program = `
    const { mkdirSync, writeFileSync } = require('node:fs')
    for (const until = Date.now() + 1500; Date.now() < until; ) {
      try {
        mkdirSync(${JSON.stringify(leftover)}, { recursive: true })
        writeFileSync(${JSON.stringify(join(leftover, 'started'))}, '')
      } catch (error) {
        // The folder was deleted between the two calls.
        if (error.code !== 'ENOENT') throw error
      }
    }`
  const writer = spawn(process.execPath, ['-e', program])
  const ended = once(writer, 'exit')
  await expect.poll(() => existsSync(join(leftover, 'started')), { interval: 5 }).toBe(true)
  for (let turn = 0; turn < 50; turn += 1) await beginArrival(folder)
  expect(await ended).toEqual([0, null])
  expect(readdirSync(await beginArrival(folder))).toEqual([])
})
