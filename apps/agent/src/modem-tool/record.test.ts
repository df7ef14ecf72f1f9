import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EmulatorProcess } from '../testing/emulator-process.ts'

const main = process.env['TESTED_MODEM_TOOL'] ?? ''
const modem = {
  number: '+447700900123',
  imei: '490154203237518',
  iccid: '8944100012345678906',
  imsi: '001015432198765',
}

let folder: string
let emulator: EmulatorProcess | undefined
let replay: EmulatorProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-record-'))
})

afterEach(async () => {
  await replay?.stop()
  await emulator?.stop()
  emulator = replay = undefined
  rmSync(folder, { recursive: true, force: true })
})

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, errors }))
  return { ended, says: (words: string) => expect.poll(() => out).toContain(words) }
}

test('records setup, a message and its reply without private data, and the emulator replays the recording', async () => {
  emulator = await EmulatorProcess.start([], modem)
  const file = join(folder, 'ec25.txt')
  const recording = start(emulator.pty, 'record', file, '--to', '+447400654321', '--yes')
  await recording.says('Reply to the message on the phone')
  await emulator.instruct('send-text', { from: '+447400654321', to: 'modem0', text: 'the fox is in the henhouse' })
  const { code, out, errors } = await recording.ended
  expect([code, errors]).toEqual([0, expect.not.stringContaining('Error')])
  expect(out).toContain('reply received')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^# smsgw recording 1\n# Captured from one Quectel EC25\.\n# profile quectel\n= start\n/)
  expect(text).toContain('= send\n> AT+CMGS=')
  expect(out).toContain(text.split('\n').at(-2))
  for (const secret of Object.values(modem)) {
    const digits = secret.replace('+', '')
    for (let at = 0; at + 6 <= digits.length; at += 1) expect(text).not.toContain(digits.slice(at, at + 6))
  }
  expect(text).not.toMatch(/fox|7400654321/)

  replay = await EmulatorProcess.start(['--replay', file])
  const again = await start(replay.pty, 'send', '+447400111222', 'Hello').ended
  expect(again.errors).not.toContain('modem:')
  expect(again.out).toContain('accepted')
})

test('records a modem that does not work, and saves nothing without consent', async () => {
  emulator = await EmulatorProcess.start([], { ...modem, pin: '4321' })
  const file = join(folder, 'locked.txt')
  const { code, out, errors } = await start(emulator.pty, 'record', file).ended
  expect(out).toContain('the modem does not work: The SIM requires its PIN. Enter the PIN in the console')
  expect(out).toContain('> AT+CPIN?\n< +CPIN: SIM PIN')
  expect([code, errors]).toEqual([1, expect.stringContaining('not saved: review the recording above')])
  expect(existsSync(file)).toBe(false)
})

test('does not overwrite a file', async () => {
  emulator = await EmulatorProcess.start([], modem)
  const file = join(folder, 'there.txt')
  writeFileSync(file, 'mine')
  const { code, errors } = await start(emulator.pty, 'record', file, '--yes').ended
  expect([code, errors]).toEqual([1, expect.stringContaining(`cannot write ${file}`)])
  expect(readFileSync(file, 'utf8')).toBe('mine')
})
