interface DatabaseAddress {
  /** The URL for each server, in the order of the list. */
  readonly urls: readonly string[]
  /** True if a server is used only while it accepts writes. */
  readonly needsWrites: boolean
}

/** Thrown for a URL that cannot be used. The message begins after the name of a setting. */
export class DatabaseAddressError extends Error {}

const LIST = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/
/**
 * Matches an "@" or a second path segment after the servers, which may be the rest of a password with an unencoded "/"
 * or "?". Such a URL is refused, because logs and errors would show that part of the password as the path.
 */
const UNENCODED = /@|^\/[^?]*\//
const ONE = /^(?:\[[^\]]+\]|[^:,\s]+)?(?::\d{1,5})?$/

/**
 * Reads a URL that may name several servers, as in libpq: `postgresql://user:password@one:5432,other:5432/database`.
 * The parameter `target_session_attrs` is `read-write`, `primary` or `any`. With several servers, the default is
 * `read-write`, because a relay always writes.
 */
export function readDatabaseAddress(url: string): DatabaseAddress {
  const [, start = '', servers = '', end = ''] = LIST.exec(url) ?? []
  const list = servers.split(',')
  const wrong = list.findIndex((server) => !ONE.test(server) || (list.length > 1 && server === ''))
  // The error does not show the server part of the address. If the password contains an unencoded "/", the server part
  // contains a piece of the password.
  if (wrong >= 0)
    throw new DatabaseAddressError(
      `has an invalid server (${wrong + 1} of ${list.length}): separate servers by commas, for example ${LIST_EXAMPLE}`,
    )
  if (url.includes('#') || UNENCODED.test(end)) throw invalidAddress()
  const { rest, target } = withoutTarget(end)
  if (target !== undefined && !TARGETS.has(target))
    throw new DatabaseAddressError(`has target_session_attrs=${target}: use read-write, primary or any`)
  const urls = list.map((server) => `${start}${server}${rest}`)
  const unreadable = urls.some((one) => !URL.canParse(one))
  if (unreadable) throw invalidAddress()
  return { urls, needsWrites: target === undefined ? list.length > 1 : target !== 'any' }
}

const TARGETS: ReadonlySet<string> = new Set(['read-write', 'primary', 'any'])
const ONE_EXAMPLE = 'postgresql://smsgw:password@db.example:5432/smsgw'
const LIST_EXAMPLE = 'postgresql://smsgw:password@db1.example:5432,db2.example:5432/smsgw'

/** Returns an error that shows no part of the address, because it may be a part of the password. */
function invalidAddress(): DatabaseAddressError {
  return new DatabaseAddressError(
    `is not a valid address: write it like ${ONE_EXAMPLE}, with / ? # @ in the password as %2F %3F %23 %40`,
  )
}

/** Removes the parameter, because the driver does not support it. */
function withoutTarget(end: string): { readonly rest: string; readonly target: string | undefined } {
  const [path = '', query] = end.split('?')
  const parameters = query === undefined ? [] : query.split('&')
  const isTarget = (parameter: string) => parameter.startsWith('target_session_attrs=')
  const target = parameters.find(isTarget)?.split('=')[1]
  const others = parameters.filter((parameter) => !isTarget(parameter))
  return { rest: others.length === 0 ? path : `${path}?${others.join('&')}`, target }
}

/** Describes the servers without the password. */
export function describeDatabase(url: string): string {
  const { username, pathname } = new URL(readDatabaseAddress(url).urls[0] ?? url)
  return `PostgreSQL at ${databaseHostsAndPorts(url).join(' or ')}${pathname}${username ? ` (user ${username})` : ''}`
}

/** Returns the host and port of each server. */
export function databaseHostsAndPorts(url: string): string[] {
  return readDatabaseAddress(url)
    .urls.map((one) => new URL(one))
    .map(({ hostname, port, searchParams }) => searchParams.get('host') ?? `${hostname}:${port || '5432'}`)
}

/** Returns the hosts, for texts about the machine of the database. */
export function databaseHosts(url: string): string {
  const urls = readDatabaseAddress(url).urls.map((one) => new URL(one))
  return urls.map(({ hostname, searchParams }) => searchParams.get('host') ?? hostname).join(' or ')
}
