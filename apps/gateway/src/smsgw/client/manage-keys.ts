import { printLine } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import { InvalidRequestError } from '@smsgw/client/errors'
import type { ApiKey, ApiKeyWithSecret } from '@smsgw/client/openapi'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError, UsageError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'
import { printJson } from '@smsgw/daemon/terminal/terminal'
import { KEY_OPTIONS, keyLines, keyRequestOf, optionProblems } from '@smsgw/relay/cli/key-commands'

/**
 * Runs `smsgw keys …`. Like the console, this command uses the API, so it works with a gateway or relay on any machine.
 */
export async function manageKeys(sms: SmsGateway, { name, positionals, values }: CommandLine): Promise<number> {
  const [id = ''] = positionals
  if (name === 'keys create') await create(sms, values)
  else if (name === 'keys list') await list(sms, values)
  else if (name === 'keys rotate') await rotate(sms, id, values)
  else await revoke(sms, id)
  return 0
}

async function create(sms: SmsGateway, values: CommandLine['values']): Promise<void> {
  for (const option of [KEY_OPTIONS.name, KEY_OPTIONS.scopes])
    if (values[option] === undefined)
      throw new UsageError(`--${option} is missing; for example --name "door bell" --scopes messages:send`)
  const body = keyRequestOf(values)
  if (Number.isNaN(body.limits.recipientsPerDay))
    throw new UsageError(`--per-day ${JSON.stringify(values['per-day'])} must be a number`)
  try {
    printJson({ print: printLine }, (await sms.request<ApiKeyWithSecret>({ method: 'POST', path: '/keys', body })).body)
  } catch (error) {
    if (error instanceof InvalidRequestError && error.errors.length > 0)
      throw new UsageError(optionProblems(error.errors))
    throw error
  }
}

async function list(sms: SmsGateway, values: CommandLine['values']): Promise<void> {
  const { body } = await sms.request<ApiKey[]>({ method: 'GET', path: '/keys' })
  if (values['json']) printLine(printableJson(body))
  else for (const line of keyLines(body)) printLine(line)
}

async function rotate(sms: SmsGateway, id: string, { overlap }: CommandLine['values']): Promise<void> {
  const overlapSeconds = overlap === undefined ? undefined : Number(overlap)
  if (Number.isNaN(overlapSeconds))
    throw new UsageError(`--overlap ${JSON.stringify(overlap)} must be a number of seconds`)
  const path = `/keys/${encodeURIComponent(id)}/rotate`
  printJson(
    { print: printLine },
    (await sms.request<ApiKeyWithSecret>({ method: 'POST', path, body: { overlapSeconds } })).body,
  )
}

/** Revokes a key. The API accepts a revoked key again, but on a command line its id is a mistake. */
async function revoke(sms: SmsGateway, id: string): Promise<void> {
  const { body: keys } = await sms.request<ApiKey[]>({ method: 'GET', path: '/keys' })
  const key = keys.find((one) => one.id === id && one.state !== 'revoked')
  if (key === undefined) throw new StartError(`there is no active API key ${JSON.stringify(id)}: see \`keys list\``)
  await sms.request({ method: 'DELETE', path: `/keys/${encodeURIComponent(id)}` })
  printLine(`API key ${key.name} revoked`)
}
