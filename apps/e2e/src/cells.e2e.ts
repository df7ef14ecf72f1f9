// Two cells with an embedded PostgreSQL each, and a router in front of them. An account moves to the other cell while
// it sends and receives. The first move command is killed while it copies.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiClient, eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { placeDatabase } from './house/machine/prepared-database.ts'
import { HouseProcess, logged } from './house/machine/process.ts'
import { Receiver } from './house/peers/receiver.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-cells-'))
const secrets = { SERVER_SECRET: randomBytes(32).toString('base64') }
const processes: HouseProcess[] = []
let emulator: Emulator
let receiver: Receiver
let directory: string
let routerUrl: string
let api: ApiClient
let authorization: string

/** The settings of a relay in the cell. */
const cell = (name: string) => ({
  ...secrets,
  ...{ DATA_DIR: join(folder, name), PORT: '0', PUBLIC_URL: 'http://sms.example.org', TRUSTED_PROXIES: '127.0.0.1' },
  ...{ WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', CONSOLE_DIR: 'off' },
})

function start(...options: ConstructorParameters<typeof HouseProcess>): HouseProcess {
  const started = new HouseProcess(...options)
  processes.push(started)
  return started
}

/** Runs a command on the directory and returns its output. */
async function cells(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const command = commandOf(args, settings)
  const code = await command.ended()
  if (code !== 0) throw new Error(`cells ${args.join(' ')}: ${command.complaints}`)
  return command.lines
}

function commandOf(args: readonly string[], settings: Readonly<Record<string, string>> = {}): HouseProcess {
  return start('cells', mainScripts.relay, ['cells', ...args], { ...secrets, DIRECTORY_URL: directory, ...settings })
}

/** Returns the address of the embedded database of a cell, from the file of the running server. */
function databaseOf(name: string): string {
  const [, , , , socketFolder = ''] = readFileSync(join(folder, name, 'database/postmaster.pid'), 'utf8').split('\n')
  return `postgresql://smsgw@localhost/smsgw?host=${encodeURIComponent(socketFolder)}`
}

beforeAll(async () => {
  const relays = ['one', 'two'].map((name) => {
    placeDatabase(join(folder, name))
    return start(`relay ${name}`, mainScripts.relay, [], cell(name))
  })
  const starting = Emulator.start(folder)
  receiver = await Receiver.start()
  const urls = await Promise.all(
    relays.map(async (relay) => String((await relay.said(logged('relay listening')))['url'])),
  )
  const database = new Client({ connectionString: databaseOf('one') })
  await database.connect()
  await database.query('CREATE DATABASE directory')
  await database.end()
  directory = databaseOf('one').replace('/smsgw?', '/directory?')
  for (const [at, name] of ['one', 'two'].entries())
    await cells(['add', name, urls[at] ?? ''], { DATABASE_URL: databaseOf(name) })
  const router = start('router', mainScripts.relay, ['router'], { ...secrets, DIRECTORY_URL: directory, PORT: '0' })
  const placed = await cells(['place', 'sms', '--cell', 'one', '--generate'])
  routerUrl = String((await router.said(logged('router listening')))['url'])
  const password = placed.find((line) => line.startsWith('password: '))?.slice('password: '.length) ?? ''
  api = new ApiClient(routerUrl, { username: 'sms', password })
  authorization = `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`
  emulator = await starting
  await startAgent()
})

afterAll(async () => {
  await receiver?.stop()
  await emulator?.process.stop()
  for (const one of processes.toReversed()) await one.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Pairs an agent through the router, and waits until its SIM is ready. */
async function startAgent(): Promise<void> {
  const { json } = await api.ask('POST', '/devices/codes')
  const settings = { DATA_DIR: join(folder, 'agent'), MODEMS: emulator.pty() }
  mkdirSync(settings.DATA_DIR)
  const url = routerUrl.replace('http', 'ws')
  const pairing = start('pair', mainScripts.agent, ['pair', url, json.code], settings)
  if ((await pairing.ended()) !== 0) throw new Error(`the agent was not paired: ${pairing.complaints}`)
  start('agent', mainScripts.agent, ['run'], { ...settings, RELAY_URL: url })
  await eventually(
    async () => (await api.ask('GET', '/devices')).json,
    ([device]) => device?.online === true && device.simCards[0]?.state === 'ready',
  )
}

/** Sends a message as a careful program does: repeats the request with the same id until it is accepted. */
async function send(id: string): Promise<void> {
  for (;;) {
    const body = { id, phoneNumbers: ['+447400123456'], textMessage: { text: id } }
    const answer = await api.ask('POST', '/messages', body, {}, 20_000).catch(() => undefined)
    // 409: an earlier request was accepted although its answer was lost.
    if (answer?.status === 202 || answer?.status === 409) return
    await sleep(50)
  }
}

/** Reads the events of the account, and opens the stream again when it ends. */
async function followEvents(signal: AbortSignal, onText: (text: string) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(`${routerUrl}/3rdparty/v1/events`, { headers: { authorization }, signal })
      for await (const chunk of response.body ?? []) onText(new TextDecoder().decode(chunk))
    } catch {
      await sleep(50) // the stream was aborted, or could not be opened
    }
  }
}

test('an account moves to another cell under traffic: no message is lost, and none is sent twice', async () => {
  for (const event of ['sms:sent', 'sms:received'])
    expect((await api.ask('POST', '/webhooks', { id: event, url: receiver.url, event })).status).toBe(201)
  const streaming = new AbortController()
  let events = ''
  const following = followEvents(streaming.signal, (text) => {
    events += text
  })
  let isMoving = true
  let longestMs = 0
  const [ids, received]: [string[], string[]] = [[], []]
  const sending = (async () => {
    for (let rest = 10; rest > 0; rest -= isMoving ? 0 : 1) {
      const id = `message-${ids.length}`
      ids.push(id)
      const from = performance.now()
      await send(id)
      longestMs = Math.max(longestMs, performance.now() - from)
      await sleep(100)
    }
  })()
  const receiving = (async () => {
    for (let rest = 3; rest > 0; rest -= isMoving ? 0 : 1) {
      const text = `received ${received.length}`
      received.push(text)
      await emulator.instruct('send-text', { to: 'modem0', from: '+447400654321', text })
      await sleep(400)
    }
  })()
  await eventually(
    () => receiver.of('sms:sent').length,
    (count) => count >= 3,
  )
  const killed = commandOf(['move', 'sms', 'two'])
  await killed.said((line) => (line === 'copying rows' ? line : undefined))
  await killed.kill()
  const output = await cells(['move', 'sms', 'two'])
  isMoving = false
  await Promise.all([sending, receiving])
  for (const id of ids) await api.until(id, ({ state }) => state === 'Delivered')
  const texts = emulator.ledger().map(({ text }) => text)
  expect(texts.toSorted()).toEqual(ids.toSorted())
  const payloads = (event: string, member: string) => {
    const byId = new Map(receiver.of(event).map((request) => [request.id, request]))
    return [...byId.values()].map(({ payload }) => String(payload[member])).toSorted()
  }
  await eventually(
    () => [payloads('sms:sent', 'messageId').length, payloads('sms:received', 'message').length],
    ([sent = 0, arrived = 0]) => sent >= ids.length && arrived >= received.length,
  )
  expect(payloads('sms:sent', 'messageId')).toEqual(ids.toSorted())
  expect(payloads('sms:received', 'message')).toEqual(received.toSorted())
  // The stream was opened again in the other cell and continues there.
  const before = events.length
  await send('last')
  await eventually(
    () => events.length,
    (length) => length > before,
  )
  streaming.abort()
  await following
  const { cells: listed } = JSON.parse((await cells(['list', '--json'])).join('\n'))
  expect(listed.map(({ id, accounts }: { id: string; accounts: number }) => [id, accounts])).toEqual([
    ['one', 0],
    ['two', 1],
  ])
  expect(output.at(-1)).toMatch(/^account sms moved to the cell two; rows: \d+, pause: \d+\.\d s$/)
  process.stdout.write(`${output.at(-1)}; longest request: ${Math.round(longestMs)} ms; messages: ${ids.length}\n`)
})
