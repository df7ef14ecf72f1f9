import { apiKeyRequest, apiKeyRotation } from '@smsgw/contract/access/api-key'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'
import { printJson, type Terminal } from '@smsgw/daemon/terminal/terminal'
import { findAccount } from '../../accounts/find-account.ts'
import { KEY_OPTIONS, keyLines, keyRequestOf, optionProblems } from '../../cli/key-commands.ts'
import { publishHints } from '../../hints/publish-hints-statement.ts'
import { ApiError } from '../../http/errors/api-error.ts'
import { insertKey, type KeyDeps, keysOf } from './key-endpoints.ts'
import { endKey, replaceKey } from './rotate-key.ts'

export interface KeysCommandDeps extends KeyDeps {
  readonly terminal: Terminal
}

type Values = CommandLine['values']

/** `npm run relay -- keys …`, and the same commands of the gateway with the name of its account as first argument. */
export async function keysCommand(deps: KeysCommandDeps, { name, positionals, values }: CommandLine): Promise<void> {
  const [username = '', id = ''] = positionals
  const { id: accountId } = await findAccount(deps.database, username)
  try {
    if (name === 'keys create') await create(deps, accountId, values)
    else if (name === 'keys list') await list(deps, accountId, values)
    else if (name === 'keys rotate') await rotate(deps, accountId, id, values)
    else await revoke(deps, accountId, id)
  } catch (error) {
    if (error instanceof ApiError)
      throw new StartError(error.errors === undefined ? error.message : optionProblems(error.errors), { cause: error })
    throw error
  }
}

async function create(deps: KeysCommandDeps, accountId: string, values: Values): Promise<void> {
  const request = apiKeyRequest.safeParse(keyRequestOf(values))
  if (!request.success) {
    const [issue] = request.error.issues
    const member = issue?.path.find(
      (part) => typeof part === 'string' && part in KEY_OPTIONS,
    ) as keyof typeof KEY_OPTIONS
    const problem = values[KEY_OPTIONS[member]] === undefined ? 'is missing' : (issue?.message ?? '')
    throw new StartError(`--${KEY_OPTIONS[member]} ${problem}; for example --name "door bell" --scopes messages:send`)
  }
  printJson(deps.terminal, await insertKey(deps, { accountId }, request.data))
}

async function list({ database, clock, terminal }: KeysCommandDeps, accountId: string, values: Values): Promise<void> {
  const keys = await keysOf(database, accountId, clock.now())
  if (values['json']) return terminal.print(printableJson(keys))
  for (const line of keyLines(keys)) terminal.print(line)
}

async function rotate(deps: KeysCommandDeps, accountId: string, id: string, values: Values): Promise<void> {
  const overlap = values['overlap']
  const request = apiKeyRotation.safeParse({ overlapSeconds: overlap === undefined ? undefined : Number(overlap) })
  if (!request.success)
    throw new StartError(`--overlap ${request.error.issues[0]?.message}; for example --overlap 3600`)
  const key = await replaceKey(deps, { accountId }, id, request.data.overlapSeconds)
  await publishHints(deps.database, [{ kind: 'access-changed', accountId }])
  printJson(deps.terminal, key)
}

async function revoke({ database, clock, terminal }: KeysCommandDeps, accountId: string, id: string): Promise<void> {
  const key = await database.$transaction((statements) => endKey(statements, { accountId }, id, clock.now()))
  if (key === undefined) throw new StartError(`there is no active API key ${JSON.stringify(id)}: see \`keys list\``)
  await publishHints(database, [{ kind: 'access-changed', accountId }])
  terminal.print(`API key ${key.name} revoked`)
}
