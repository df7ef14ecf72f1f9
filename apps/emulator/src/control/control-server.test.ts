import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../emulator.ts'
import { allInstructions } from '../instructions/all-instructions.ts'
import { type Options, readEmulatorOptions } from '../options/config.ts'

let folder = ''
let emulator: RunningEmulator
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'control-'))
  const ledger = join(folder, 'ledger.jsonl')
  const modem = (name: string) => ['--modem', `name=${name},tcp=127.0.0.1:0`]
  const argv = [...modem('left'), ...modem('right'), '--control', '127.0.0.1:0', '--ledger', ledger, '--boot-time', '0']
  emulator = await startEmulator(readEmulatorOptions(argv, {}) as Options, 1, (error) => {
    throw error
  })
})
afterEach(async () => {
  await emulator.close()
  rmSync(folder, { recursive: true })
})

type Key =
  | 'act'
  | 'entries'
  | 'error'
  | 'faults'
  | 'memories'
  | 'memory'
  | 'messages'
  | 'modems'
  | 'port'
  | 'ports'
  | 'sim'

interface Reply {
  readonly status: number
  readonly body: Partial<Record<Key, unknown>>
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${emulator.control?.address}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(text && { body: text }),
  })
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}
const get = (path: string) => call('GET', path)
const act = (instruction: string, body: unknown) => call('POST', `/do/${instruction}`, body)

/** Returns the text that a program reads on the TCP port of a modem up to `until`. */
async function dialogue(modem: string, commands: string, until: RegExp): Promise<string> {
  const port = emulator.world.modem(modem).ports[0]?.address ?? ''
  const socket = connect(Number(new URL(port).port), '127.0.0.1')
  let text = ''
  socket.write(commands)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1')
    if (until.test(text)) break
  }
  return text
}

async function eventually<T>(read: () => Promise<T>, right: (value: T) => boolean): Promise<T> {
  for (let turn = 0; ; turn++) {
    const value = await read()
    if (right(value) || turn > 200) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('lists all requests with the schema of every instruction', async () => {
  const { body } = await get('/')
  expect((body.act as { request: string }[]).map(({ request: line }) => line)).toEqual(
    Object.keys(allInstructions).map((name) => `POST /do/${name}`),
  )
  expect(JSON.stringify(body)).toContain('"prefix"')
})

test('shows ports, SIM, memories and faults of a modem', async () => {
  expect((await get('/modems/right')).body).toMatchObject({
    name: 'right',
    ports: [{ connection: 'not connected' }],
    sim: { msisdn: '+447700900002' },
    faults: [],
  })
  expect((await get('/modems')).body.modems).toHaveLength(2)
})

test('stores a text sent to a modem', async () => {
  const reply = await act('send-text', { from: '+447700900222', to: 'left', text: 'x'.repeat(200) })
  expect(reply).toEqual({ status: 200, body: { parts: 2 } })
  const used = async () => JSON.stringify((await get('/modems/left')).body.memories)
  expect(await eventually(used, (text) => text.includes('"used":2'))).toContain('"used":2')
})

test('records a sent message in the ledger and at the outside phone', async () => {
  const text = await dialogue('left', 'AT+CMGF=1\rAT+CMGS="+447700900123"\rhello\x1a', /\+CMGS: \d+[\s\S]*OK/)
  expect(text).toContain('+CMGS')
  expect((await get('/ledger?last=1')).body.entries).toMatchObject([{ destination: '+447700900123', text: 'hello' }])
  expect((await get('/phones/messages?to=%2B447700900123')).body.messages).toMatchObject([
    { from: '+447700900001', text: 'hello' },
  ])
  expect((await get('/phones/messages?to=%2B447700900124')).body.messages).toEqual([])
})

test('applies a rule to messages to a number', async () => {
  const policy = { outcome: 'rejected', cause: 42 }
  expect((await act('set-rule', { prefix: '+4470', policy })).body).toEqual({ rules: [{ prefix: '+4470', policy }] })
  const text = await dialogue('left', 'AT+CMEE=1\rAT+CMGF=1\rAT+CMGS="+4470123"\rhello\x1a', /ERROR|\+CMGS: \d/)
  expect(text).toContain('+CMS ERROR: 42')
  expect((await act('clear-rule', {})).body).toEqual({ rules: [] })
})

test('sets, lists and clears a fault', async () => {
  const set = await act('set-fault', { modem: 'left', fault: 'prompt-late', options: { delayMs: 5 } })
  expect(set.body).toMatchObject({ faults: [{ name: 'prompt-late', options: { delayMs: 5, chance: 1 } }] })
  expect((await get('/modems/right')).body.faults).toEqual([])
  expect((await act('clear-fault', { modem: 'left' })).body).toEqual({ faults: [] })
})

test('loses the port on unplug and restores it on plug', async () => {
  expect((await act('unplug', { modem: 'left' })).body).toMatchObject({ port: 'lost' })
  expect((await get('/modems/left')).body.ports).toMatchObject([{ connection: 'unplugged' }])
  expect((await act('plug', { modem: 'left' })).body).toMatchObject({ port: 'open' })
})

test('restores the port automatically after unplug with forMs', async () => {
  await act('unplug', { modem: 'left', forMs: 30 })
  const state = () => get('/modems/left')
  expect((await eventually(state, ({ body }) => body.port === 'open')).body.port).toBe('open')
})

test('fills the memory for new messages', async () => {
  const { body } = await act('fill-storage', { modem: 'left', leave: 1 })
  const state = async () =>
    (await get('/modems/left')).body.memories as { name: string; used: number; capacity: number }[]
  const full = (memories: { name: string; used: number; capacity: number }[]) =>
    memories.some(({ name, used, capacity }) => name === body.memory && used === capacity - 1)
  expect(full(await eventually(state, full))).toBe(true)
})

test('refuses fill-storage and say without power', async () => {
  await act('power-off', { modem: 'left' })
  for (const instruction of ['fill-storage', 'say'])
    expect(await act(instruction, { modem: 'left', ...(instruction === 'say' && { line: 'RING' }) })).toMatchObject({
      status: 409,
      body: { error: { code: 'not_possible', message: 'left is switched off' } },
    })
})

test('replaces a SIM, and refuses a SIM that is in another modem', async () => {
  await act('remove-sim', { modem: 'left' })
  expect((await get('/modems/left')).body.sim).toBeUndefined()
  expect((await act('insert-sim', { modem: 'left', sim: { number: '+447700900002' } })).status).toBe(409)
  const { imsi } = emulator.world.modem('right').virtual.sim ?? {}
  expect(await act('insert-sim', { modem: 'left', sim: { number: '+447700900077', imsi } })).toMatchObject({
    status: 409,
    body: { error: { message: `the SIM with ${imsi} is already in right` } },
  })
  await act('insert-sim', { modem: 'left', sim: { number: '+447700900077' } })
  expect((await get('/modems/left')).body).toMatchObject({ sim: { msisdn: '+447700900077' } })
})

test('streams traffic and events', async () => {
  const wanted = request(`${emulator.control?.address}/stream?modem=left`)
  wanted.end()
  const [response] = (await once(wanted, 'response')) as [AsyncIterable<Buffer> & { destroy(): void }]
  await dialogue('right', 'ATI\r', /OK/)
  await dialogue('left', 'AT\r', /OK/)
  await act('set-coverage', { to: 'left', signalDbm: null, stat: 2 })
  let text = ''
  for await (const chunk of response) {
    text += chunk.toString()
    if (text.includes('event: network')) break
  }
  expect(text).toContain('"direction":"in","text":"AT<CR>","hex":"41540d"')
  expect(text).not.toContain('"modem":"right"')
})

test.each([
  ['GET', '/nowhere', undefined, 404, { code: 'not_found' }],
  [
    'GET',
    '/modems/middle',
    undefined,
    404,
    { code: 'unknown_modem', message: /no modem has the name middle; the modems are left, right/ },
  ],
  ['GET', '/modems/%E0%A4%A', undefined, 400, { code: 'invalid_path' }],
  ['GET', '/ledger?last=many', undefined, 400, { code: 'invalid_query', path: 'last' }],
  ['GET', '/traffic?modem=middle', undefined, 404, { code: 'unknown_modem' }],
  ['GET', '/stream?modem=middle', undefined, 404, { code: 'unknown_modem' }],
  ['DELETE', '/modems', undefined, 405, { code: 'method_not_allowed' }],
  ['POST', '/do/explode', {}, 404, { code: 'not_found' }],
  ['POST', '/do/__proto__', {}, 404, { code: 'not_found' }],
  ['POST', '/do/plug', '{"modem":', 400, { code: 'invalid_json' }],
  ['POST', '/do/plug', '"left"', 400, { code: 'invalid_body' }],
  ['POST', '/do/plug', {}, 400, { code: 'invalid_body', path: 'modem' }],
  ['POST', '/do/plug', { modem: 'left', hard: true }, 400, { code: 'invalid_body', path: 'hard' }],
  ['POST', '/do/plug', { modem: 'middle' }, 404, { code: 'unknown_modem' }],
  ['POST', '/do/send-text', { from: '1', to: '+49111111', text: 'x' }, 404, { code: 'unknown_number' }],
  ['POST', '/do/send-text', { from: 'a name too long', to: 'left', text: 'x' }, 409, { code: 'not_possible' }],
  ['POST', '/do/send-text', { from: '1', to: 'left', text: 'x', class: 4 }, 400, { path: 'class' }],
  ['POST', '/do/send-raw', { to: 'left', tpdu: '0' }, 400, { path: 'tpdu' }],
  ['POST', '/do/set-fault', { modem: 'left', fault: 'gremlins' }, 400, { path: 'fault' }],
  [
    'POST',
    '/do/set-fault',
    { modem: 'left', fault: 'prompt-late', options: { delayMs: 'x' } },
    400,
    { path: 'options.delayMs' },
  ],
  [
    'POST',
    '/do/set-fault',
    { modem: 'left', fault: 'submit-error', options: { codes: ',x' } },
    400,
    { path: 'options.codes', message: /must be error codes separated by commas/ },
  ],
  ['POST', '/do/fill-storage', { modem: 'left', from: 'a name too long' }, 409, { code: 'not_possible' }],
  ['POST', '/do/set-rule', { prefix: '+44', policy: { outcome: 'lost' } }, 400, { path: 'policy.outcome' }],
  ['POST', '/do/set-latency', { latencyMs: { minMs: 5, maxMs: 2 } }, 400, { path: 'latencyMs' }],
  ['POST', '/do/say', { modem: 'left', line: 'RING\r\nOK' }, 400, { path: 'line' }],
])('%s %s %j returns one error', async (method, path, body, status, error) => {
  const reply = await call(method, path, body)
  expect(reply.status).toBe(status)
  const { message, ...rest } = error as { message?: RegExp }
  expect(reply.body.error).toMatchObject(rest)
  expect((reply.body.error as { message: string }).message).toMatch(message ?? /./)
})

test('sends replies, errors and the stream without control characters', async () => {
  const wanted = request(`${emulator.control?.address}/stream`)
  wanted.end()
  const [response] = (await once(wanted, 'response')) as [AsyncIterable<Buffer>]
  await act('send-ussd', { to: 'left', text: 'a\u009b2J\u202eb' })
  let text = ''
  for await (const chunk of response) {
    text += chunk.toString()
    if (text.includes('event: network')) break
  }
  text += await (await fetch(`${emulator.control?.address}/events`)).text()
  text += await (await fetch(`${emulator.control?.address}/modems/%C2%9B2J%E2%80%AE`)).text()
  expect(text.match(/\\u009b2J\\u202e/g)).toHaveLength(3)
  expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
})

test.each([
  [
    'a menu',
    (depth: number) =>
      `{"code":"*1#","menu":${'{"text":"x","otherwise":'.repeat(depth)}{"text":"y"}${'}'.repeat(depth + 1)}`,
  ],
  ['a list', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
] as const)('refuses %s that is nested too deeply to be checked', async (_, nested) => {
  for (const depth of [100, 5000]) {
    const reply = await act('set-ussd-menu', nested(depth))
    expect(reply).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_body', message: expect.stringContaining('deeper than 64') } },
    })
  }
})

test('refuses a body that is too large and keeps serving', async () => {
  const reply = await act('send-text', { from: '1', to: 'left', text: 'x'.repeat(600_000) })
  expect(reply).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } })
  expect((await get('/modems')).status).toBe(200)
})
