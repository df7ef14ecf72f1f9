import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { askAgent } from './status/ask-agent.ts'
import { EmulatorProcess } from './testing/emulator-process.ts'
import { isSubmitting } from './testing/is-submitting.ts'
import { ScriptedRelay } from './testing/scripted-relay.ts'

let folder: string
let relay: ScriptedRelay
let server: Server
let url: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-main-'))
  relay = new ScriptedRelay()
  server = createServer()
  new WebSocketServer({ server }).on('connection', (socket) => {
    const session = relay.accept({
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    })
    socket.on('message', (data) => session.step({ kind: 'received', text: String(data) }))
    socket.on('close', () => session.step({ kind: 'closed' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [process.env['TESTED_AGENT'] ?? '', ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return { child, said: () => output }
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

async function run(args: readonly string[], settings?: Readonly<Record<string, string>>) {
  const { child, said } = start(args, settings)
  const [code] = await once(child, 'close')
  return { code, said: said() }
}

test('pairs once, and again only with --again, which renames the journal of the previous device', async () => {
  expect(await run(['pair', url, 'code-1'])).toEqual({
    code: 0,
    said: `Paired as device device-1. Start the agent with \`DATA_DIR=${folder} npm run agent -- run\`.\n`,
  })
  const file = join(folder, 'agent-identity.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const first = readFileSync(file, 'utf8')
  expect(await run(['pair', url, 'code-2'])).toMatchObject({ code: 1, said: expect.stringContaining('pair --again') })
  writeFileSync(join(folder, 'journal.db'), 'of device-1')

  relay.refusal = { at: 'pair', code: 4402, reason: 'this code is used\u001b[2J' }
  expect(await run(['pair', '--again', url, 'code-3'])).toMatchObject({
    code: 1,
    said: expect.stringContaining('this code is used\\x1b[2J'),
  })
  expect(readFileSync(file, 'utf8')).toBe(first)
  expect(existsSync(join(folder, 'journal.db'))).toBe(true)

  relay.refusal = undefined
  relay.deviceId = 'device-2'
  expect(await run(['pair', '--again', url, 'code-4'])).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8')).relay.deviceId).toBe('device-2')
  expect(JSON.parse(readFileSync(file, 'utf8')).privateKey).not.toBe(JSON.parse(first).privateKey)
  expect(readdirSync(folder).filter((name) => /^journal\.|journal-of|next/.test(name))).toEqual([
    'journal-of-device-1.db',
  ])
})

test.each([
  [['pair'], 'argument <url> is missing; usage: npm run agent -- pair <url> <code>', 2],
  [['status', '--lvie'], 'unknown option --lvie; did you mean --live?', 2],
  [['status'], 'no agent is running with DATA_DIR='],
  [['ussd', '*100#'], 'no agent is running with DATA_DIR='],
  [['ussd', '*100#', '--sim', 'two'], '--sim must be a SIM number from 1 to 64'],
  [['run'], 'not paired with a relay'],
  [['dance'], 'unknown command "dance"', 2],
  [['stauts'], 'did you mean status?', 2],
])('a wrong command prints one line with the solution: %j', async (args, message, expected = 1) => {
  const { code, said } = await run(args)
  expect({ code, lines: said.trim().split('\n').length }).toEqual({ code: expected, lines: 1 })
  expect(said).toContain(message)
})

test('runs, answers status, and on SIGTERM finishes the part being sent and exits with 0', async () => {
  const emulator = await EmulatorProcess.start(['--boot-time', '0'])
  try {
    const settings = { RELAY_URL: url, ENROLMENT_TOKEN: 'x'.repeat(32), MODEMS: emulator.pty }
    const { child, said } = start(['run'], settings)
    await expect.poll(said).toContain('ready')
    await relay.heard('started')
    const status = await run(['status'])
    expect(status).toMatchObject({ code: 0, said: expect.stringContaining('connected to ws://127.0.0.1') })
    expect(await run(['ussd', '*100#', '--sim', '1'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('balance'),
    })
    expect(await run(['run'], settings)).toMatchObject({
      code: 1,
      said: expect.stringContaining(`process ${child.pid}`),
    })

    await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-slow', options: { delayMs: 6000 } })
    relay.send('c1', '+447700900555', 'a private text')
    await relay.heard('processed', { cmdId: 'c1' })
    await expect.poll(() => askAgent(folder, { ask: 'examine' }).then(isSubmitting)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
    expect(relay.events.map(({ kind }) => kind)).toContain('sent')
    expect(said()).not.toMatch(/447700900555|private/)
    expect(existsSync(join(folder, 'agent.sock'))).toBe(false)
  } finally {
    await emulator.stop()
  }
})

test('stops even if a modem hangs', async () => {
  const emulator = await EmulatorProcess.start(['--boot-time', '0'])
  try {
    const settings = { RELAY_URL: url, ENROLMENT_TOKEN: 'x'.repeat(32), MODEMS: emulator.pty }
    const { child, said } = start(['run'], settings)
    await expect.poll(said).toContain('ready')
    await relay.heard('started')
    await emulator.instruct('set-fault', { modem: 'modem0', fault: 'modem-hang', options: { command: '+CMGS' } })
    relay.send('c1', '+447700900555', 'Hello')
    await relay.heard('processed', { cmdId: 'c1' })
    await expect.poll(() => askAgent(folder, { ask: 'examine' }).then(isSubmitting)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  } finally {
    await emulator.stop()
  }
})
