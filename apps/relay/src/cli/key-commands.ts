import type { Command } from '@smsgw/daemon/command-line'

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

/** The commands for API keys. `account` is the argument that names the account, if there are several. */
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
  } as const satisfies Readonly<Record<string, Command>>
}
