import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// The time limit allows for real processes on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let folder = ''
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emulator-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function start(...argv: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], { cwd: folder })
  children.push(child)
  return child
}

interface Addresses {
  readonly modems: readonly { readonly ports: readonly string[] }[]
  readonly control?: string
}

/** Starts an emulator and returns its addresses. */
async function running(...argv: string[]): Promise<{ child: ChildProcess; addresses: Addresses }> {
  const child = start('--json', '--ledger', 'ledger.jsonl', '--control', 'none', ...argv)
  return { child, addresses: JSON.parse(await output(child, /\n/)) as Addresses }
}

async function output(child: ChildProcess, until: RegExp): Promise<string> {
  let text = ''
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    text += chunk.toString()
    if (until.test(text)) return text
  }
  throw new Error(`ended early: ${text}${errors}`)
}

/** Returns exit code and stderr. */
async function ended(child: ChildProcess): Promise<{ code: number | null; errors: string }> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, errors }
}

test('replays a recording, and refuses an invalid recording with one line', async () => {
  const file = join(folder, 'modem.txt')
  writeFileSync(file, '# smsgw recording 1\n# Composed from nothing.\n= start\n> AT+CGMM\n< E173\n< OK\n')
  const { addresses } = await running('--replay', file, '--tcp', '127.0.0.1:0')
  expect(await dialogue(portOf(addresses), 'AT+CGMM\r', /OK/)).toBe('\r\nE173\r\n\r\nOK\r\n')
  const refused = async (...argv: string[]) => (await ended(start('--control', 'none', ...argv))).errors
  expect(await refused('--replay', '/dev/zero')).toBe('emulator: replay: /dev/zero: is not a file\n')
  expect(await refused('--replay', join(folder, 'missing'))).toMatch(/^emulator: replay: .*ENOENT.*\n$/)
  writeFileSync(file, '# smsgw recording 1\n# Composed from nothing.\n= ../../x\n')
  expect(await refused('--replay', file)).toMatch(/^emulator: replay: .*: line 3 is not a valid section name.*\n$/)
  writeFileSync(file, Buffer.alloc(3 * 1024 ** 2, 'x'))
  expect(await refused('--replay', file)).toMatch(/^emulator: replay: .*: is larger than 2097152 bytes.*\n$/)
  expect(await refused('--replay', file, '--number', '+447700900123')).toMatch(/^emulator: number: cannot be combined/)
})

function portOf({ modems }: Addresses): number {
  return Number(new URL(modems[0]?.ports[0] ?? '').port)
}

async function dialogue(port: number, commands: string, until: RegExp): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(commands)
  let text = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1')
    if (until.test(text)) break
  }
  return text
}

test('serves a modem over TCP and exits with 0 on SIGTERM', async () => {
  const { child, addresses } = await running('--tcp', '127.0.0.1:0')
  expect(await dialogue(portOf(addresses), 'AT+CGSN\r', /OK\r\n/)).toMatch(/35693803\d{7}/)
  const end = ended(child)
  child.kill('SIGTERM')
  expect(await end).toEqual({ code: 0, errors: '' })
})

test('serves a modem through a link and removes the link on SIGINT', async () => {
  const { child, addresses } = await running('--pty', './modem')
  const link = addresses.modems[0]?.ports[0] ?? ''
  expect(link).toBe(join(folder, 'modem'))
  writeSync(openSync(link, 'r+'), 'AT\r')
  const end = ended(child)
  child.kill('SIGINT')
  expect(await end).toEqual({ code: 0, errors: '' })
  expect(existsSync(link)).toBe(false)
})

test('serves two ports of one modem', async () => {
  const { addresses } = await running('--modem', 'tcp=127.0.0.1:0,secondTcp=127.0.0.1:0')
  const ports = addresses.modems[0]?.ports.map((address) => Number(new URL(address).port)) ?? []
  expect(ports).toHaveLength(2)
  const [first, second] = await Promise.all(ports.map((port) => dialogue(port, 'ATE0\rAT+CGSN\r', /\d{15}\s+OK\r\n/)))
  expect(/\d{15}/.exec(second ?? '')?.[0]).toBe(/\d{15}/.exec(first ?? '')?.[0])
})

test('syncs the ledger entry before +CMGS', async () => {
  const { addresses } = await running('--tcp', '127.0.0.1:0', '--chunking', 'whole')
  await dialogue(portOf(addresses), 'AT+CMGF=1\rAT+CMGS="+447700900123"\rhello\x1a', /\+CMGS: \d/)
  expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8')).toContain('"text":"hello"')
})

test('takes over the link of a killed emulator', async () => {
  const first = await running('--pty', './modem')
  const gone = once(first.child, 'close')
  first.child.kill('SIGKILL')
  await gone
  expect((await running('--pty', './modem')).addresses.modems[0]?.ports).toEqual([join(folder, 'modem')])
})

test('refuses a second emulator on the same link and names the first process', async () => {
  const { child, addresses } = await running('--pty', './modem')
  const second = await ended(start('--pty', './modem', '--control', 'none'))
  expect(second).toEqual({
    code: 1,
    errors: `emulator: pty: ${addresses.modems[0]?.ports[0]} is served by another emulator (process ${child.pid}); stop it or choose another path, for example --pty ./modem1\n`,
  })
  expect(existsSync(join(folder, 'modem'))).toBe(true)
})

test.each(['tcp', 'control'])('reports a %s port in use in one line and leaves no files behind', async (key) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const others = key === 'control' ? [] : ['--control', 'none']
  const { code, errors } = await ended(start(`--${key}`, `127.0.0.1:${port}`, '--pty', './modem', ...others))
  server.close()
  expect(code).toBe(1)
  expect(errors).toBe(
    `emulator: ${key}: 127.0.0.1:${port} is in use by another program; choose another port, or 0 for any free port\n`,
  )
  expect(existsSync(join(folder, 'modem'))).toBe(false)
})

test('reports a wrong option in one line', async () => {
  expect(await ended(start('--seed', 'many'))).toEqual({
    code: 1,
    errors: 'emulator: seed: must be a whole number; for example --seed 42\n',
  })
})

test('prints a wrong option without control characters', async () => {
  const { errors } = await ended(start('--tcp', 'x\x1b[2J'))
  expect(errors).toContain('"x·[2J" is not an address and a port')
})

test('runs the steps of a scenario', async () => {
  const steps = [{ atMs: 50, do: 'say', modem: 'modem0', line: 'HELLO FROM THE SCENARIO' }]
  const file = join(folder, 'scenario.json')
  writeFileSync(file, JSON.stringify({ modems: [{ tcp: '127.0.0.1:0' }], steps }))
  const child = start('--lines', '--scenario', file, '--control', 'none', '--ledger', 'none')
  expect(await output(child, /HELLO FROM THE SCENARIO<CR>/)).toContain('ready')
})

test('prints addresses and lines by default', async () => {
  const child = start('--tcp', '127.0.0.1:0', '--control', 'none', '--ledger', 'none')
  const text = await output(child, /ready/)
  expect(text).toContain('modem0  Quectel EC25  IMEI')
  expect(text).not.toContain('\x1b')
})

test('lists options, modems, faults and requests in --help', async () => {
  const text = await output(start('--help'), /POST \/do\/set-ussd-menu/)
  for (const name of [
    '--personality',
    '--scenario',
    'huawei-e3372',
    'submit-answer-lost',
    'POST /do/send-text',
    'GET /ledger',
  ])
    expect(text).toContain(name)
})
