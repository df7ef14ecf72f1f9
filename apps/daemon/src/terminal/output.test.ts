import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '../log/log.ts'
import { droppedLogLines } from './output.ts'

const full = openSync('/dev/full', 'w')

test('drops and counts lines that do not fit on a full disk', () => {
  const before = droppedLogLines()
  const log = openLog('info', { fd: full, write: () => expect.unreachable() })
  for (let line = 0; line < 3; line += 1) log.info('hello')
  expect(droppedLogLines() - before).toBe(3)
})

test('logs how many lines were dropped and why, once writing works again', () => {
  let isFull = false
  const lines: { msg: string; dropped?: number; reason?: string }[] = []
  const log = openLog('info', {
    write(line, done) {
      if (!isFull) lines.push(JSON.parse(line))
      done?.(isFull ? new Error('no space left on device') : undefined)
    },
  })
  log.info('before')
  isFull = true
  log.info('lost')
  log.info('lost, too')
  isFull = false
  log.info('after')
  log.info('later')
  expect(lines.map(({ msg }) => msg)).toEqual(['before', 'after', 'log lines were dropped, logging resumed', 'later'])
  expect(lines[2]).toMatchObject({ dropped: 2, reason: 'no space left on device' })
})

const service = `
  const { ignoreOutputErrors, droppedLogLines } = await import('${join(import.meta.dirname, 'output.ts')}')
  const { openLog } = await import('${join(import.meta.dirname, '../log/log.ts')}')
  ignoreOutputErrors()
  const log = openLog('info', process.stdout)
  let rounds = 0
  const timer = setInterval(() => {
    log.info('hello')
    process.stdout.write('greeting')
    process.stderr.write('complaint')
    rounds += 1
    if (rounds < 20) return
    clearInterval(timer)
    process.exitCode = droppedLogLines() > 15 ? 42 : 1
  }, 5)
`

test('a service keeps running when stdout and stderr are files on a full disk', () => {
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', service], {
    stdio: ['ignore', full, full],
  })
  expect(status).toBe(42)
})

test('a service keeps running when the readers of stdout and stderr have closed', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', service], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(42)
})

test('a command fails with the reason when its output cannot be written', () => {
  const command = `
    const { failOnOutputErrors } = await import('${join(import.meta.dirname, 'output.ts')}')
    failOnOutputErrors((error) => { process.stderr.write(error.message); process.exit(1) })
    process.stdout.write('result')
  `
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', command], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'ENOSPC: no space left on device, write' })
  closeSync(full)
})
