import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const sources = join(import.meta.dirname, 'npm')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-npm-command-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['inside the package smsgw', 'lib/node_modules/smsgw/node_modules/@smsgw/linux-x64'],
  ['beside the package smsgw', 'lib/node_modules/@smsgw/linux-x64'],
])('the command runs the package for this processor if npm installed it %s', (_, place) => {
  program(join(folder, place, 'bin/smsgw'), 'echo "started with $*"')
  expect(command('x86_64', 'gateway', 'status')).toEqual({
    status: 0,
    stdout: 'started with gateway status\n',
    stderr: '',
  })
})

test('the command prints what to do if the package for this processor is missing, and on another processor', () => {
  expect(command('aarch64')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('@smsgw/linux-arm64 is not installed: run npm install'),
  })
  expect(command('riscv64')).toMatchObject({ status: 1, stderr: expect.stringContaining('riscv64 is not supported') })
})

test.each([
  [['gateway', 'status'], {}, '/home/ada/.local/share/smsgw/gateway'],
  [['setup'], {}, '/home/ada/.local/share/smsgw/gateway'],
  [['agent', 'pair'], {}, '/home/ada/.local/share/smsgw/agent'],
  [['relay'], { XDG_DATA_HOME: '/data of ada' }, '/data of ada/smsgw/relay'],
  [['relay'], { DATA_DIR: '/srv/relay' }, '/srv/relay'],
  [['send', '+447400123456', 'Hello'], {}, '/home/ada/.local/share/smsgw/gateway'],
  [['password'], {}, '/home/ada/.local/share/smsgw/gateway'],
  [['emulator'], {}, ''],
] as const)('`smsgw %j` with %j uses the data folder %j', (args, settings, place) => {
  const copy = join(folder, 'bin/smsgw')
  mkdirSync(dirname(copy))
  cpSync(join(sources, 'smsgw'), copy)
  program(join(folder, 'bin/node'), 'echo "$DATA_DIR"')
  const environment = { PATH: process.env['PATH'], HOME: '/home/ada', DATA_DIR: '', ...settings }
  const { stdout } = spawnSync(copy, args, { encoding: 'utf8', env: environment })
  expect(stdout).toBe(`${place}\n`)
})

/** Runs the command as npm installs it, on a machine with this processor. */
function command(processor: string, ...args: string[]) {
  const installed = join(folder, 'lib/node_modules/smsgw/smsgw')
  mkdirSync(dirname(installed), { recursive: true })
  cpSync(join(sources, 'find-smsgw'), installed)
  symlinkSync(installed, join(folder, 'smsgw'))
  program(join(folder, 'tools/uname'), `echo ${processor}`)
  const { status, stdout, stderr } = spawnSync(join(folder, 'smsgw'), args, {
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'tools')}:${process.env['PATH']}` },
  })
  rmSync(join(folder, 'smsgw'))
  return { status, stdout, stderr }
}

function program(file: string, script: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
}
