import { readCommandLine } from '@smsgw/daemon/command-line'
import type { Terminal } from '@smsgw/daemon/terminal/terminal'
import { beforeEach, expect, test } from 'vitest'
import { relayCommands } from '../cli/commands.ts'
import { systemClock } from '../clock.ts'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { accountsCommand } from './accounts-command.ts'
import { passwordChecker } from './check-password.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const world = useTestDatabase()
beforeEach(() => world.database.account.deleteMany())

/**
 * Runs a command and returns the printed lines. `answers` are typed one after the other; `input` is piped into the
 * command.
 */
async function run(args: string, { answers = [] as string[], input }: { answers?: string[]; input?: string } = {}) {
  const printed: string[] = []
  const typed = [...answers]
  const terminal: Terminal = {
    isInteractive: answers.length > 0,
    print: (line) => void printed.push(line),
    ask: async () => typed.shift() ?? '',
    askHidden: async () => typed.shift() ?? '',
    readInput: async () => input ?? '',
  }
  const line = readCommandLine(relayCommands, ['accounts', ...args.split(' ')])
  await accountsCommand({ ...world, box, random: systemRandom, clock: systemClock, terminal }, line)
  return printed
}

async function accepts(username: string, password: string): Promise<boolean> {
  return (await passwordChecker({ ...world, box, random: systemRandom })({ username, password })) !== undefined
}

test('an account is added with a password that is typed twice', async () => {
  expect(await run('add bob', { answers: ['typed password', 'typed password'] })).toEqual(['account bob created'])
  expect(await accepts('bob', 'typed password')).toBe(true)
})

test('a password is read from standard input, without the line end', async () => {
  await run('add bob --password-stdin', { input: 'piped password\r\n' })
  expect(await accepts('bob', 'piped password')).toBe(true)
})

test.each([
  ['add bob --generate', {}],
  ['add bob', { answers: [''] }],
])('`%s` generates a password and shows it once', async (args, typing) => {
  const [made, shown = ''] = await run(args, typing)
  expect(made).toBe('account bob created')
  expect(await accepts('bob', shown.replace('password: ', ''))).toBe(true)
})

test('a password is changed', async () => {
  await run('add bob --password-stdin', { input: 'old password' })
  expect(await run('password bob --password-stdin', { input: 'new password' })).toEqual([
    'password of bob changed; revoked tokens: 0',
  ])
  expect(await accepts('bob', 'old password')).toBe(false)
  expect(await accepts('bob', 'new password')).toBe(true)
})

test('accounts are listed by name, for people and for programs', async () => {
  expect(await run('list')).toEqual(['no accounts yet: create one with `accounts add <user>`'])
  await run('add robert --generate')
  await run('add bob --generate')
  await world.database.account.updateMany({ data: { createdAt: new Date('2026-03-01T12:00:00Z') } })
  expect(await run('list')).toEqual(['bob     since 2026-03-01  devices: 0', 'robert  since 2026-03-01  devices: 0'])
  const [json = ''] = await run('list --json')
  expect(JSON.parse(json)).toMatchObject([{ username: 'bob' }, { username: 'robert' }])
})

test('an account is removed when its name is typed, or --yes is given', async () => {
  await run('add bob --generate')
  await run('add robert --generate')
  await expect(run('remove bob', { answers: ['y'] })).rejects.toThrow('nothing was removed')
  await expect(run('remove bob')).rejects.toThrow('--yes')
  expect(await run('remove bob', { answers: ['bob'] })).toEqual(['account bob removed'])
  expect(await run('remove robert --yes')).toEqual(['account robert removed'])
  expect(await world.database.account.count()).toBe(0)
})

test.each([
  ['', 'add, list, password, remove'],
  ['delete bob', 'add, list, password, remove'],
  ['add', '<user> is missing'],
  ['add bob hunter2hunter2', 'passwords are not accepted as arguments'],
  ['add bob --password=hunter2hunter2', 'unknown option --password'],
  ['add bob', 'cannot ask for a password without a terminal'],
  ['add bob --generate --password-stdin', 'use one of them'],
  ['add b:b --generate', 'a username must begin'],
  ['password nobody --generate', 'account "nobody" does not exist'],
  ['remove nobody --yes', 'account "nobody" does not exist'],
])('`accounts %s` fails with one line: %s', async (args, words) => {
  const refused = run(args)
  await expect(refused).rejects.toMatchObject({
    name: expect.stringMatching(/^(?:Start|Usage)Error$/),
    message: expect.stringContaining(words),
  })
  await expect(refused).rejects.toMatchObject({ message: expect.not.stringMatching(/hunter2|\n/) })
})

test('a taken name and a weak or mistyped password change nothing', async () => {
  await run('add bob --password-stdin', { input: 'old password' })
  await expect(run('add bob --generate')).rejects.toThrow('account bob already exists')
  await expect(run('password bob --password-stdin', { input: 'short' })).rejects.toThrow('at least 8')
  await expect(run('password bob', { answers: ['new password', 'new pasword'] })).rejects.toThrow(
    'the passwords differ',
  )
  expect(await accepts('bob', 'old password')).toBe(true)
})
