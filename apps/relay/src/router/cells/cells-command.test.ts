import { randomBytes } from 'node:crypto'
import { readCommandLine } from '@smsgw/daemon/command-line'
import type { Terminal } from '@smsgw/daemon/terminal/terminal'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relayCommands } from '../../cli/commands.ts'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { checkInstallation } from '../../store/installation.ts'
import { secretBox } from '../../store/secret-box.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '../../testing/test-database.ts'
import { prepareDirectory } from '../directory/directory-schema.ts'
import { openPool } from '../directory/open-pool.ts'
import { cellsCommand } from './cells-command.ts'

const box = secretBox(randomBytes(32).toString('base64'), systemRandom)
let directory: Pool
let databases: TestDatabase[]

beforeAll(async () => {
  databases = [await emptyDatabase(), await testDatabase(), await testDatabase(), await testDatabase()]
  directory = openPool({ url: urlOf(0), connections: 2, name: 'test', statementTimeoutMs: 30_000 })
  await prepareDirectory(directory)
  for (const at of [1, 2]) await checkInstallation(databaseOf(at), box, systemRandom)
}, 300_000)
afterAll(async () => {
  await directory.end()
  for (const database of databases) await database.close()
})

const urlOf = (at: number) => databases[at]?.url ?? ''
const databaseOf = (at: number) => {
  const found = databases[at]
  if (found === undefined) throw new Error('there are fewer databases')
  return found.database
}

/** Runs a command and returns the lines that it prints. */
async function run(command: string, databaseUrl?: string): Promise<string[]> {
  const lines: string[] = []
  const terminal = { isInteractive: false, print: (line: string) => lines.push(line) } as unknown as Terminal
  const deps = { directory, box, random: systemRandom, clock: systemClock, terminal, databaseUrl }
  await cellsCommand({ ...deps, longestTokenSeconds: 60 }, readCommandLine(relayCommands, command.split(' ')))
  return lines
}

test('a database that cannot be a cell is refused with what to do', async () => {
  const add = 'cells add eu http://127.0.0.1:3000'
  await expect(run(add)).rejects.toThrow(/DATABASE_URL is not set/)
  await expect(run('cells add EU http://127.0.0.1:3000', urlOf(1))).rejects.toThrow(/"EU" is not a valid name/)
  await expect(run('cells add eu ftp://relay', urlOf(1))).rejects.toThrow(/"ftp:\/\/relay" is not the address/)
  await expect(run(add, urlOf(0))).rejects.toThrow(/run the command migrate/)
  await checkInstallation(databaseOf(3), secretBox('another secret with enough characters', systemRandom), systemRandom)
  await expect(run(add, urlOf(3))).rejects.toThrow(/same SERVER_SECRET/)
})

test('a cell is added with the accounts that its database already has, and the new cell gets the same push keys', async () => {
  const account = { id: 'a'.repeat(21), username: 'alice', passwordHash: '-' }
  await databaseOf(1).account.create({ data: account })
  expect(await run('cells list')).toEqual(['no cells yet: add one with `cells add <cell> <relay-url>`'])
  expect(await run('cells add eu http://127.0.0.1:3000', urlOf(1))).toEqual([
    'cell eu added; relays: http://127.0.0.1:3000',
  ])
  await expect(run('cells add us http://127.0.0.1:3001', urlOf(1))).rejects.toThrow(/already belongs to the cell eu/)
  await databaseOf(2).account.create({ data: { ...account, id: 'b'.repeat(21) } })
  expect(await run('cells add us http://127.0.0.1:3001 --closed', urlOf(2))).toEqual([
    'cell us added; relays: http://127.0.0.1:3001',
    'account alice is not routed: another cell has an account with this name',
  ])
  const keys = await Promise.all([1, 2].map((at) => databaseOf(at).installation.findFirstOrThrow()))
  expect(keys[0]?.pushPublicKey).toBeTruthy()
  expect(keys[1]?.pushPublicKey).toBe(keys[0]?.pushPublicKey)
  expect(await run('cells add us http://127.0.0.1:3002 --closed', urlOf(2))).toContain(
    'cell us changed; relays: http://127.0.0.1:3002',
  )
  expect(await run('cells list')).toEqual([
    'eu  accounts: 1  open  relays: http://127.0.0.1:3000',
    'us  accounts: 0  closed  relays: http://127.0.0.1:3002',
  ])
})

test('a new account is placed in an open cell, or in the requested cell', async () => {
  const [placed = '', password = ''] = await run('cells place bob --generate')
  expect([placed, password]).toEqual(['account bob created in the cell eu', expect.stringMatching(/^password: \S+$/)])
  expect(await run('cells place carol --generate --cell us')).toContain('account carol created in the cell us')
  expect(await databaseOf(2).account.count({ where: { username: 'carol' } })).toBe(1)
  await expect(run('cells place bob --generate')).rejects.toThrow(/already exists in the cell eu/)
  await expect(run('cells place dave --generate --cell mars')).rejects.toThrow(/no cell mars; it has eu, us/)
})

test('a move needs a known account, another cell, and no other move', async () => {
  await expect(run('cells move nobody us')).rejects.toThrow(/no account nobody/)
  await expect(run('cells move bob eu')).rejects.toThrow(/already in the cell eu/)
  await expect(run('cells move bob mars')).rejects.toThrow(/no cell mars/)
  await expect(run('cells move bob us --cancel')).rejects.toThrow(/bob is not moving/)
  const lines = await run('cells move bob us')
  expect(lines.at(-1)).toMatch(/^account bob moved to the cell us; rows: \d+, pause: \d+\.\d s$/)
  expect(JSON.parse((await run('cells list --json')).join('\n'))).toMatchObject({
    cells: [
      { id: 'eu', accounts: 1 },
      { id: 'us', accounts: 2 },
    ],
    moves: [],
  })
})
