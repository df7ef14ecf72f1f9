import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readGatewayCredentials, runsGatewayAt, storeGatewayAddress } from './credentials-file.ts'
import { readAccount } from './smsgw/client/account.ts'

let folder: string
let servers: Server[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-credentials-'))
})

afterEach(async () => {
  for (const server of servers) await new Promise((settle) => server.close(settle))
  servers = []
  rmSync(folder, { recursive: true })
})

test('returns nothing if the gateway was never started in the folder', () => {
  expect(readGatewayCredentials(folder)).toBeUndefined()
  expect(readGatewayCredentials(join(folder, 'missing'))).toBeUndefined()
})

test.each(['', '{', '{}', '{"username":"sms"}', '{"username":"","password":"secret"}', 'null', '["secret"]', 'secret'])(
  'refuses a damaged file without showing it: %s',
  (text) => {
    writeFileSync(join(folder, 'credentials.json'), text)
    const problem = problemOf(() => readGatewayCredentials(folder))
    expect(problem).toBeInstanceOf(StartError)
    expect(String(problem)).not.toContain('secret')
    expect((problem as Error).cause).toBeUndefined()
  },
)

test('refuses something that is not a regular file', () => {
  mkdirSync(join(folder, 'credentials.json'))
  expect(problemOf(() => readGatewayCredentials(folder))).toBeInstanceOf(StartError)
})

test('the password is used only for the address of the gateway, and only while the gateway runs', async () => {
  writeFileSync(join(folder, 'credentials.json'), '{"username":"sms","password":"secret"}')
  const account = (url: string) => readAccount({ url }, { DATA_DIR: folder, XDG_CONFIG_HOME: folder })
  // Another program may listen at the port of a stopped gateway.
  await expect(account('http://127.0.0.1:3000')).rejects.toThrow(StartError)
  storeGatewayAddress(folder, 'http://0.0.0.0:3000')
  await expect(account('http://127.0.0.1:3000')).rejects.toThrow(StartError)
  const server = await listen()
  expect(await account('http://127.0.0.1:3000')).toEqual({
    url: 'http://127.0.0.1:3000',
    credentials: { username: 'sms', password: 'secret' },
  })
  await expect(account('http://127.0.0.1:3001')).rejects.toThrow(StartError)
  expect(await runsGatewayAt(folder, 'http://127.0.0.1:3001')).toBe(false)
  expect(await runsGatewayAt(folder, 'https://127.0.0.1:3000')).toBe(false)
  await new Promise((settle) => server.close(settle))
  expect(await runsGatewayAt(folder, 'http://127.0.0.1:3000')).toBe(false)
})

test.each([
  ['http://127.0.0.1:3101', 'http://127.0.0.1:3101'],
  ['http://0.0.0.0:8080', 'http://127.0.0.1:8080'],
  ['http://[::]:8080', 'http://127.0.0.1:8080'],
  ['http://192.168.1.5:3000', 'http://192.168.1.5:3000'],
])('a command without an address uses the running gateway at %s', async (stored, url) => {
  writeFileSync(join(folder, 'credentials.json'), '{"username":"sms","password":"secret"}')
  storeGatewayAddress(folder, stored)
  await listen()
  expect(await readAccount({}, { DATA_DIR: folder, XDG_CONFIG_HOME: folder })).toEqual({
    url,
    credentials: { username: 'sms', password: 'secret' },
  })
})

/** Listens at the socket of the agent, as a running gateway does. */
async function listen(): Promise<Server> {
  const server = createServer((socket) => socket.end())
  server.listen(join(folder, 'agent.sock'))
  await once(server, 'listening')
  servers.push(server)
  return server
}

function problemOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
