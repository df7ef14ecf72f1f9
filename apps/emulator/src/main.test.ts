import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Real processes on a machine that may be busy with other tests.
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

/** A running emulator, with what it says of itself. */
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

/** Exit code and all it said on stderr. */
async function ended(child: ChildProcess): Promise<{ code: number | null; errors: string }> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, errors }
}

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

test('over TCP: a program speaks with the modem; SIGTERM ends it with 0', async () => {
  const { child, addresses } = await running('--tcp', '127.0.0.1:0')
  expect(await dialogue(portOf(addresses), 'AT+CGSN\r', /OK\r\n/)).toMatch(/35693803\d{7}/)
  const end = ended(child)
  child.kill('SIGTERM')
  expect(await end).toEqual({ code: 0, errors: '' })
})

test('on a pseudo-terminal: the link is there, leads to the modem, and SIGINT removes it', async () => {
  const { child, addresses } = await running('--pty', './modem')
  const link = addresses.modems[0]?.ports[0] ?? ''
  expect(link).toBe(join(folder, 'modem'))
  writeSync(openSync(link, 'r+'), 'AT\r')
  const end = ended(child)
  child.kill('SIGINT')
  expect(await end).toEqual({ code: 0, errors: '' })
  expect(existsSync(link)).toBe(false)
})

test('a message is in the ledger, synced, when the modem says +CMGS', async () => {
  const { addresses } = await running('--tcp', '127.0.0.1:0', '--chunking', 'whole')
  await dialogue(portOf(addresses), 'AT+CMGF=1\rAT+CMGS="+447700900123"\rhello\x1a', /\+CMGS: \d/)
  expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8')).toContain('"text":"hello"')
})

test('after kill -9 the next start takes the link over at once', async () => {
  const first = await running('--pty', './modem')
  const gone = once(first.child, 'close')
  first.child.kill('SIGKILL')
  await gone
  expect((await running('--pty', './modem')).addresses.modems[0]?.ports).toEqual([join(folder, 'modem')])
})

test('a second emulator on the same link is told whose it is, and the first goes on', async () => {
  const { child, addresses } = await running('--pty', './modem')
  const second = await ended(start('--pty', './modem', '--control', 'none'))
  expect(second).toEqual({
    code: 1,
    errors: `emulator: pty: ${addresses.modems[0]?.ports[0]} is served by another emulator (process ${child.pid}); stop it or choose another, such as --pty ./modem1\n`,
  })
  expect(existsSync(join(folder, 'modem'))).toBe(true)
})

test.each(['tcp', 'control'])('a %s port in use is one clear line, and nothing is left behind', async (key) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const others = key === 'control' ? [] : ['--control', 'none']
  const { code, errors } = await ended(start(`--${key}`, `127.0.0.1:${port}`, '--pty', './modem', ...others))
  server.close()
  expect(code).toBe(1)
  expect(errors).toBe(
    `emulator: ${key}: 127.0.0.1:${port} is in use by another program; choose another port, or 0 for any free one\n`,
  )
  expect(existsSync(join(folder, 'modem'))).toBe(false)
})

test('a wrong option is one clear line', async () => {
  expect(await ended(start('--seed', 'many'))).toEqual({
    code: 1,
    errors: 'emulator: seed: must be a whole number; for example --seed 42\n',
  })
})

test('a wrong option steers no terminal', async () => {
  const { errors } = await ended(start('--tcp', 'x\x1b[2J'))
  expect(errors).toContain('"x·[2J" is not an address and a port')
})

test('a scenario plays its steps', async () => {
  const steps = [{ atMs: 50, do: 'say', modem: 'modem0', line: 'HELLO FROM THE SCENARIO' }]
  const file = join(folder, 'scenario.json')
  writeFileSync(file, JSON.stringify({ modems: [{ tcp: '127.0.0.1:0' }], steps }))
  const child = start('--lines', '--scenario', file, '--control', 'none', '--ledger', 'none')
  expect(await output(child, /HELLO FROM THE SCENARIO<CR>/)).toContain('ready')
})

test('without a terminal the view is off and lines are printed instead', async () => {
  const child = start('--view', '--tcp', '127.0.0.1:0', '--control', 'none', '--ledger', 'none')
  const text = await output(child, /ready/)
  expect(text).toContain('modem0  Quectel EC25  IMEI')
  expect(text).not.toContain('\x1b')
})

test('the help names every option, modem, fault and request', async () => {
  const text = await output(start('--help'), /Keys of the view/)
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
