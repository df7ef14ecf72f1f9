import { readCommandLine } from '@smsgw/daemon/command-line'
import { decodeJwt } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../accounts/create-account.ts'
import { relayCommands } from '../../cli/commands.ts'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { ensureEnrolmentToken, redeemEnrolmentToken } from '../enrolment-token.ts'
import { BearerLogin } from './bearer-login.ts'
import { SigningKeys } from './signing-keys.ts'
import { tokenCommand } from './token-command.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const clock = systemClock
const world = useTestDatabase()
let accountId: string
beforeAll(async () => {
  accountId =
    (await createAccount({ ...world, box, random: systemRandom }, { username: 'bob', password: 'some password' })) ?? ''
})

async function run(args: string): Promise<string> {
  const printed: string[] = []
  const unused = async () => ''
  const terminal = {
    isInteractive: false,
    print: (line: string) => void printed.push(line),
    ask: unused,
    askHidden: unused,
    readInput: unused,
  }
  const deps = { ...world, box, clock, random: systemRandom, terminal }
  const line = readCommandLine(relayCommands, ['token', ...args.split(' ')])
  await tokenCommand({ ...deps, issuer: 'smsgw', maxTtlSeconds: 86_400, refreshTtlSeconds: 86_400 }, line)
  return printed.join('\n')
}

test('a token from the command line works in the API, also on a new database', async () => {
  const { access_token: token } = JSON.parse(await run('issue bob --scopes messages:send,logs:read --ttl 600'))
  const { exp = 0, iat = 0 } = decodeJwt(token)
  expect(exp - iat).toBe(600)
  const signingKeys = new SigningKeys({ ...world, box, clock })
  const login = await new BearerLogin({ ...world, clock, signingKeys, issuer: 'smsgw' }).check('access', token)
  expect(login).toMatchObject({ accountId, username: 'bob', scopes: new Set(['messages:send', 'logs:read']) })
})

test.each([
  ['', 'token needs a command: issue, revoke-enrolment'],
  ['issue', '<user> is missing'],
  ['issue bob', '--scopes is missing; for example'],
  ['issue bob --scopes all:all', '--scopes "all:all" is not a scope'],
  ['issue bob --scopes all:any --ttl 5', '--ttl must be 0 (the maximum lifetime) or at least 60 seconds'],
  ['issue bob --scopes all:any --ttl soon', '--ttl'],
  ['issue nobody --scopes all:any', 'account "nobody" does not exist'],
  ['revoke-enrolment nobody', 'account "nobody" does not exist'],
])('`token %s` fails with one line: %s', async (args, words) => {
  await expect(run(args)).rejects.toMatchObject({
    name: expect.stringMatching(/^(?:Start|Usage)Error$/),
    message: expect.stringContaining(words),
  })
})

const enrol = (token: string) => ensureEnrolmentToken({ ...world, box, clock }, { token, accountId })
const redeem = (token: string) => redeemEnrolmentToken(world.database, box, token)

test('an enrolment token belongs to its account, is stored as a hash, and ends when it is replaced', async () => {
  await enrol('first token')
  await enrol('first token')
  expect(await redeem('first token')).toBe(accountId)
  expect(await redeem('made up')).toBeUndefined()
  expect(JSON.stringify(await world.database.enrolmentToken.findMany())).not.toContain('first token')
  await enrol('second token')
  expect(await redeem('first token')).toBeUndefined()
  expect(await redeem('second token')).toBe(accountId)
})

test('a revoked enrolment token stays revoked when the relay starts with it again', async () => {
  await enrol('third token')
  expect(await run('revoke-enrolment bob')).toBe('revoked enrolment tokens of bob: 1')
  expect(await redeem('third token')).toBeUndefined()
  await enrol('third token')
  expect(await redeem('third token')).toBeUndefined()
})
