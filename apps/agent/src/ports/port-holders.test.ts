import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { describeHolders, readHolders } from './port-holders.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-holders-'))
let holder: ChildProcess | undefined
afterEach(() => {
  holder?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('finds a program that has the device open, even if it was opened through a link', async () => {
  mkdirSync(folder, { recursive: true })
  const device = join(folder, 'ttyUSB2')
  writeFileSync(device, '')
  symlinkSync(device, join(folder, 'modem'))
  const hold = `require('fs').openSync(${JSON.stringify(device)}, 'r'); console.log('held'); setInterval(() => 0, 1000)`
  const child = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] })
  holder = child
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const holders = await readHolders(join(folder, 'modem'))
  expect(holders).toMatchObject({ device, programs: [{ name: 'node', pid: child.pid }] })
})

describe('describes the solution in one line', () => {
  const device = '/dev/ttyUSB2'
  test.each([
    [
      { programs: [{ name: 'picocom', pid: 4711 }], runsModemManager: false },
      'another program uses this port: picocom (process 4711). Stop it',
    ],
    [
      { programs: [{ name: 'ModemManager', pid: 612 }], runsModemManager: true },
      'ModemManager uses this port: make it ignore this modem (npm run --silent agent -- udev-rules | sudo tee',
    ],
    [
      { programs: [], runsModemManager: true },
      'another program uses this port, most likely ModemManager, which is running: make it ignore',
    ],
    [{ programs: [], runsModemManager: false }, 'find it with "sudo fuser -v /dev/ttyUSB2"'],
    [
      { programs: [{ name: 'gammu-smsd', pid: 5 }], runsModemManager: true },
      'another program uses this port: gammu-smsd (process 5)',
    ],
    [
      { programs: [1, 2, 3, 4, 5].map((pid) => ({ name: 'sh', pid })), runsModemManager: false },
      'another program uses this port: sh (process 1) and sh (process 2) and sh (process 3) and 2 more. Stop it',
    ],
  ])('%j', (holders, text) => {
    expect(describeHolders({ device, ...holders })).toContain(text)
  })
})
