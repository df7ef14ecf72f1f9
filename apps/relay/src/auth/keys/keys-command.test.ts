import { readCommandLine } from '@smsgw/daemon/command-line'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relayCommands } from '../../cli/commands.ts'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { keysCommand } from './keys-command.ts'

const SERVER_SECRET = 'kJ8sn3Vx91mQpZt7bRwYcLd4HfGaEu2q'
let relay: TestRelay
beforeAll(async () => {
  relay = await testRelay({ settings: { SERVER_SECRET } })
})
afterAll(() => relay.close())

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = []
  const unused = async () => ''
  const terminal = {
    isInteractive: false,
    print: (line: string) => void printed.push(line),
    ask: unused,
    askHidden: unused,
    readInput: unused,
  }
  const box = secretBox(SERVER_SECRET, systemRandom)
  const deps = { database: relay.database, box, clock: systemClock, random: systemRandom, terminal }
  await keysCommand(deps, readCommandLine(relayCommands, ['keys', ...args]))
  return printed.join('\n')
}

const statusWith = async (key: string) => (await relay.api('GET', '/logs', { auth: `Bearer ${key}` })).status

test('a key is created, listed, rotated and revoked on the command line, while the relay runs', async () => {
  const { id: accountId, username } = relay.account
  for (const id of ['attic', 'cellar']) await relay.database.device.create({ data: { id, accountId, name: id } })
  expect(await run('list', username)).toBe('no API keys yet: create one with `keys create`')
  const limits = ['--recipients', '+44*,+4930123', '--sims', 'attic:2,cellar', '--per-day', '50']
  const options = ['--name', 'door bell', '--scopes', 'logs:read,messages:send', ...limits]
  const { id, key } = JSON.parse(await run('create', username, ...options, '--expires', '2100-01-01T00:00:00Z'))
  expect(await statusWith(key)).toBe(200)
  expect((await relay.api('GET', `/keys/${id}`)).json).toMatchObject({
    limits: {
      recipients: ['+44*', '+4930123'],
      sims: [{ deviceId: 'attic', simNumber: 2 }, { deviceId: 'cellar' }],
      recipientsPerDay: 50,
    },
    expiresAt: '2100-01-01T00:00:00.000Z',
  })
  expect(await run('list', username)).toMatch(
    `${id}  door bell  active  scopes: logs:read,messages:send  SIMs: attic:2,cellar  recipients: +44*,+4930123  today: 0 of 50  `,
  )
  expect(JSON.parse(await run('list', username, '--json'))).toMatchObject([{ id, name: 'door bell' }])
  const next = JSON.parse(await run('rotate', username, id, '--overlap', '60'))
  expect([await statusWith(key), await statusWith(next.key)]).toEqual([200, 200])
  expect(await run('revoke', username, id)).toBe('API key door bell revoked')
  await expect.poll(async () => [await statusWith(key), await statusWith(next.key)]).toEqual([401, 401])
})

test.each([
  [['create', 'NAME'], '--name is missing; for example --name "door bell" --scopes messages:send'],
  [['create', 'NAME', '--name', 'x'], '--scopes is missing; for example'],
  [['create', 'NAME', '--name', 'x', '--scopes', 'all:all'], '--scopes "all:all" is not a scope'],
  [['create', 'NAME', '--name', 'x', '--scopes', 'logs:read', '--per-day', 'many'], '--per-day '],
  [
    ['create', 'NAME', '--name', 'x', '--scopes', 'logs:read', '--recipients', 'mum'],
    '--recipients "mum" is neither a number',
  ],
  [
    ['create', 'NAME', '--name', 'x', '--scopes', 'logs:read', '--expires', '2020-01-01T00:00:00Z'],
    '--expires must be in the future',
  ],
  [
    ['create', 'NAME', '--name', 'x', '--scopes', 'messages:send', '--sims', 'shed:1'],
    '--sims "shed" is not a device of this account',
  ],
  [['create', 'nobody', '--name', 'x', '--scopes', 'logs:read'], 'account "nobody" does not exist'],
  [['rotate', 'NAME', 'nothing'], 'No API key has this id'],
  [['rotate', 'NAME', 'nothing', '--overlap', 'long'], '--overlap '],
  [['revoke', 'NAME', 'nothing'], 'there is no active API key "nothing": see `keys list`'],
])('`keys %j` fails with one line: %s', async (args, words) => {
  const given = args.map((arg) => (arg === 'NAME' ? relay.account.username : arg))
  await expect(run(...given)).rejects.toMatchObject({ name: 'StartError', message: expect.stringContaining(words) })
})

test.each([
  ['a C1 control character', 'x\u009b2J'],
  ['a bidirectional control', 'x\u202ey'],
  ['a line separator', 'x\u2028y'],
])('a name with %s is refused', async (_, name) => {
  await expect(run('create', relay.account.username, '--name', name, '--scopes', 'logs:read')).rejects.toMatchObject({
    message: expect.stringContaining('--name must not contain control or formatting characters'),
  })
})

test('a stored name with control characters is listed without them, and as valid JSON', async () => {
  const account = await relay.addAccount()
  const name = 'old\u009b2J\u202e\u{e0041}'
  const row = { id: 'oldname00000', name, scopes: ['logs:read'], secretHash: '', createdAt: new Date() }
  await relay.database.apiKey.create({ data: { ...row, accountId: account.id } })
  expect(await run('list', account.username)).toMatch(/^oldname00000 {2}old\\x9b2J\\u202e\\u\{e0041\} {2}active/)
  const json = await run('list', account.username, '--json')
  expect(json).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(json)).toMatchObject([{ name }])
  const listed = await relay.api('GET', '/keys', { auth: account.basic })
  expect([listed.status, listed.json]).toMatchObject([200, [{ name }]])
})
