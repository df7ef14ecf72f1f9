import type { ApiKey } from '@smsgw/contract/access/api-key'
import type { CommandHelp, CommandLine } from '@smsgw/daemon/command-line'
import { printable } from '@smsgw/daemon/terminal/printable'

const options = {
  create: {
    name: { value: '<name>', about: 'name of the program that gets the key' },
    scopes: { value: '<scope,…>', about: 'scopes of the key, for example messages:send,messages:read' },
    recipients: { value: '<number,…>', about: 'numbers that the key may send to, or prefixes such as +44*' },
    sims: { value: '<device[:slot],…>', about: 'devices that the key may use, or single SIMs of them' },
    'per-day': { value: '<count>', about: 'largest number of recipients per day (UTC)' },
    approval: { about: 'a person must approve each message in the console before it is sent' },
    expires: { value: '<time>', about: 'time at which the key expires, for example 2027-01-31T00:00:00Z' },
  },
  list: { json: { about: 'print JSON, for scripts' } },
  rotate: { overlap: { value: '<seconds>', about: 'how long the previous key remains valid; default: 86400' } },
} as const

/** The commands for API keys. `account` is the argument that names the account, if there can be several accounts. */
export function keyCommands<Account extends '<user> ' | ''>(account: Account) {
  const args = (id: string) => `${account}${id}`.trim()
  return {
    'keys create': { args: args(''), about: 'create an API key and print it as JSON', options: options.create },
    'keys list': { args: args(''), about: 'list API keys, their limits and last use', options: options.list },
    'keys rotate': {
      args: args('<id>'),
      about: 'replace an API key and print the new one as JSON',
      options: options.rotate,
    },
    'keys revoke': { args: args('<id>'), about: 'revoke an API key and its tokens' },
  } as const satisfies Readonly<Record<string, CommandHelp>>
}

/** The option of `keys create` for each member of a request. */
export const KEY_OPTIONS = {
  name: 'name',
  scopes: 'scopes',
  recipients: 'recipients',
  sims: 'sims',
  recipientsPerDay: 'per-day',
  expiresAt: 'expires',
} as const

/** Rewords the problems of a request: the API names its members, but the user has typed options. */
export function optionProblems(errors: readonly { readonly path: string; readonly message: string }[]): string {
  const lines = errors.map(({ path, message }) => {
    const member = path.split(/[.[]/).findLast((part) => part in KEY_OPTIONS) as keyof typeof KEY_OPTIONS | undefined
    return `${member === undefined ? path : `--${KEY_OPTIONS[member]}`} ${message}`
  })
  return lines.join('; ')
}

/** Returns the request of `keys create`, which is not validated yet. */
export function keyRequestOf(values: CommandLine['values']) {
  const perDay = values['per-day']
  return {
    name: values['name'],
    scopes: listOf(values['scopes']),
    limits: {
      recipients: listOf(values['recipients']),
      sims: listOf(values['sims'])?.map(simOf),
      recipientsPerDay: perDay === undefined ? undefined : Number(perDay),
      approval: values['approval'] === true ? 'required' : undefined,
    },
    expiresAt: values['expires'],
  }
}

function listOf(value: CommandLine['values'][string]): string[] | undefined {
  return value === undefined
    ? undefined
    : String(value)
        .split(',')
        .map((part) => part.trim())
}

function simOf(text: string) {
  const [deviceId, slot] = text.split(':')
  return { deviceId, ...(slot !== undefined && { simNumber: Number(slot) }) }
}

/** Returns the lines that `keys list` prints. */
export function keyLines(keys: readonly ListedKey[]): string[] {
  if (keys.length === 0) return ['no API keys yet: create one with `keys create`']
  // Keys of earlier releases may have names with control characters.
  const names = keys.map(({ name }) => printable(name))
  const width = Math.max(...names.map(({ length }) => length))
  return keys.map((key, at) => `${key.id}  ${names[at]?.padEnd(width)}  ${key.state}  ${detailsOf(key)}`)
}

/** The members of a key that a list shows. */
type ListedKey = Pick<
  ApiKey,
  'id' | 'name' | 'state' | 'scopes' | 'limits' | 'recipientsToday' | 'lastUsedAt' | 'lastUsedFrom'
>

function detailsOf({ scopes, limits, recipientsToday, lastUsedAt, lastUsedFrom }: ListedKey): string {
  const { sims, recipients, recipientsPerDay, approval } = limits
  return [
    `scopes: ${scopes.join(',')}`,
    ...(sims
      ? [`SIMs: ${sims.map(({ deviceId, simNumber }) => [deviceId, simNumber].filter(Boolean).join(':')).join()}`]
      : []),
    ...(recipients ? [`recipients: ${recipients.join()}`] : []),
    ...(recipientsPerDay === undefined ? [] : [`today: ${recipientsToday} of ${recipientsPerDay}`]),
    ...(approval ? ['needs approval'] : []),
    lastUsedAt === undefined ? 'never used' : `last used: ${lastUsedAt} from ${lastUsedFrom}`,
  ].join('  ')
}
