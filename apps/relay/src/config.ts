import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultFolder } from '@smsgw/daemon/files/default-folder'
import { flag, port, setting, text, wholeNumber } from '@smsgw/daemon/setting'
import { aboutOf, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import ipaddr from 'ipaddr.js'
import { type CountryCode, isSupportedCountry } from 'libphonenumber-js/max'
import { z } from 'zod'
import { consoleFolder } from './console/console-folder.ts'
import { DatabaseAddressError, readDatabaseAddress } from './store/connection/database-address.ts'

const DAY = 86_400
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** All settings of the relay by the name of their environment variable. */
export const relaySettingsSchema = z.object({
  PORT: setting(port().default(3000), { about: 'port of the HTTP API', example: '3000' }),
  HOST: setting(text().default('127.0.0.1'), {
    about: 'address to listen on; use 0.0.0.0 (all interfaces) only behind a proxy or with TLS',
    example: '0.0.0.0',
  }),
  DATA_DIR: setting(
    text().default(() => defaultFolder('relay')),
    {
      about: 'folder of the embedded database; used when DATABASE_URL is not set',
      example: '/var/lib/smsgw',
    },
  ),
  DATABASE_URL: setting(databaseUrl().optional(), {
    about:
      'address of a PostgreSQL server, version 14 or newer; default: an embedded PostgreSQL in DATA_DIR. You can list several ' +
      'servers, separated by commas: the relay uses the first one that accepts writes. In that case, also add ' +
      '?sslmode=verify-full, so that each server must prove its identity',
    example: 'postgresql://smsgw:password@db.example:5432/smsgw',
    secret: true,
  }),
  DATABASE_DIRECT_URL: setting(databaseUrl().optional(), {
    about:
      'address of the same database without a pooler; set it if DATABASE_URL is the address of PgBouncer in transaction ' +
      'mode. Hints, locks, migrations and backups use this address, with three connections for each relay',
    example: 'postgresql://smsgw:password@db.example:5432/smsgw',
    secret: true,
  }),
  DATABASE_CONNECTIONS: setting(wholeNumber(2, 500).default(10), {
    about:
      'largest number of connections in the database pool of this process; hints, periodic work and webhooks use three more connections',
    example: '20',
  }),
  DATABASE_REPLICA_URL: setting(databaseUrl().optional(), {
    about:
      'address of a standby of the same database, without a pooler or load balancer. It answers lists and searches of callers that ' +
      'send Cache-Control: max-stale. You can list several standbys, separated by commas; the relay opens up to ' +
      'DATABASE_CONNECTIONS connections to each, and one more',
    example: 'postgresql://smsgw:password@db2.example:5432/smsgw',
    secret: true,
  }),
  DIRECTORY_URL: setting(databaseUrl().optional(), {
    about:
      'address of the database with the directory of cells, for the commands `router` and `cells` only. Set it if the ' +
      'accounts are spread over several databases',
    example: 'postgresql://smsgw:password@directory.example:5432/directory',
    secret: true,
  }),
  HINTS_URL: setting(
    text()
      .regex(/^(?:nats|tls):\/\/[^\s,]+(?:,\s*(?:nats|tls):\/\/[^\s,]+)*$/, 'must begin with nats:// or tls://')
      .optional(),
    {
      about:
        'NATS server that carries the hints between relays; default: the database carries them. Set it on all relays, ' +
        'to reduce the load of the database in a large fleet',
      example: 'nats://relay:password@nats.example:4222',
      secret: true,
    },
  ),
  DATABASE_WAIT_SECONDS: setting(wholeNumber(0, 3_600).default(30), {
    about: 'seconds to wait for the database at start; increase if the database starts slowly',
    example: '120',
  }),
  SERVER_SECRET: setting(text().min(32, 'needs at least 32 characters'), {
    about: 'secret that encrypts keys and secrets in the database; store a copy, but not together with the database',
    example: '$(openssl rand -base64 32)',
    secret: true,
  }),
  ADMIN_USERNAME: setting(text().optional(), {
    about: 'username of the first account, created at start',
    example: 'sms',
  }),
  ADMIN_PASSWORD: setting(text().min(8, 'needs at least 8 characters').max(128).optional(), {
    about: 'initial password of ADMIN_USERNAME; ignored once the account exists',
    example: '$(openssl rand -base64 18)',
    secret: true,
  }),
  ENROLMENT_TOKEN: setting(text().min(32, 'needs at least 32 characters').optional(), {
    about: 'agents with this token join the account ADMIN_USERNAME without a pairing code',
    example: '$(openssl rand -base64 32)',
    secret: true,
  }),
  PUBLIC_URL: setting(z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(), {
    about: 'public address of the relay; tokens contain it as their issuer, and webhooks to this address are refused',
    example: 'https://sms.example.org',
  }),
  TRUSTED_PROXIES: setting(networks().default([]), {
    about: 'networks of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted',
    example: '10.0.0.0/8,192.168.1.5',
  }),
  ALLOW_INSECURE_HTTP: setting(flag().default(false), {
    about: 'accepts credentials over plain HTTP from other machines; for development only',
    example: '1',
  }),
  CONSOLE_DIR: setting(text().default(consoleFolder), {
    about:
      'folder of the built web console; "off" disables the console; default: the folder named console next to the bundle, or apps/console/dist in a checkout',
    example: '/usr/share/smsgw/console',
  }),
  TLS_CERT: setting(text().optional(), {
    about: 'file of the TLS certificate chain in PEM format',
    example: '/etc/smsgw/tls.crt',
  }),
  TLS_KEY: setting(text().optional(), {
    about: 'file with the private key of the certificate in TLS_CERT, in PEM format',
    example: '/etc/smsgw/tls.key',
  }),
  DEFAULT_REGION: setting(region().optional(), {
    about: 'country of phone numbers without + or 00; when not set, such numbers are read as international numbers',
    example: 'DE',
  }),
  MAX_SEGMENTS: setting(wholeNumber(1, 255).default(255), {
    about: 'largest number of SMS parts in a text message; longer texts are refused',
    example: '10',
  }),
  QUEUE_MAX_PENDING: setting(wholeNumber(1, 10_000_000).default(10_000), {
    about: 'largest number of pending messages per device; further messages are refused',
    example: '10000',
  }),
  MAX_PHONES: setting(wholeNumber(1, 1_000_000).default(5_000), {
    about:
      'largest number of phones in an account; further registrations are refused. A phone has at most one event stream, so this also limits the streams',
    example: '5000',
  }),
  MIX_EMULATED_MODEMS: setting(flag().default(false), {
    about: 'virtual modems also send if the account has a real modem; for tests only',
    example: '1',
  }),
  HASH_AFTER_SECONDS: setting(wholeNumber(0, 10 * 365 * DAY).optional(), {
    about:
      'seconds from the final state of a message until its content and numbers are replaced with hashes; when set, agents ' +
      'also delete the content of received messages; when not set, content is kept',
    example: '3600',
  }),
  DELETE_RECEIVED_AFTER_SECONDS: setting(wholeNumber(0, 10 * 365 * DAY).optional(), {
    about:
      'seconds for which a received message is kept in the inbox; it is deleted together with its finished webhook ' +
      'deliveries; when not set, it is kept as long as sent messages. Set this if the account receives login codes, which ' +
      'must not stay readable',
    example: '86400',
  }),
  TOKEN_MAX_TTL_SECONDS: setting(wholeNumber(60, 365 * DAY).default(DAY), {
    about: 'longest lifetime of an access token in seconds',
    example: '86400',
  }),
  REFRESH_TTL_SECONDS: setting(wholeNumber(60, 365 * DAY).default(30 * DAY), {
    about: 'lifetime of a refresh token in seconds',
    example: '2592000',
  }),
  WEBHOOK_ALLOW_HTTP: setting(flag().default(false), { about: 'allows webhooks over plain HTTP', example: '1' }),
  WEBHOOK_ALLOW_CIDRS: setting(networks().default([]), {
    about: 'private networks that webhooks may call',
    example: '192.168.0.0/16',
  }),
  PUSH_CONTACT: setting(
    z.url({ protocol: /^(mailto|https)$/, error: 'must begin with mailto: or https://' }).optional(),
    {
      about:
        'contact address of the operator for push services; default: PUBLIC_URL. Apple refuses notifications without a contact address',
      example: 'mailto:sms@example.org',
    },
  ),
  FCM_CREDENTIALS_FILE: setting(text().optional(), {
    about:
      'file with the JSON key of a Google service account, to send notices with FCM to phones that have no event stream; ' +
      'when not set, nothing is sent to Google',
    example: '/etc/smsgw/fcm.json',
  }),
  DEVICE_SILENCE_SECONDS: setting(wholeNumber(60, 365 * DAY).default(7 * DAY), {
    about:
      'seconds without contact after which a device counts as lost; its messages without an expiry then fail with device_lost',
    example: '604800',
  }),
  DEVICE_SILENCE_AFTER_EXPIRY_SECONDS: setting(wholeNumber(60, 365 * DAY).default(DAY), {
    about:
      'if the device of an expired message does not connect, the message fails with device_lost this number of seconds after its expiry',
    example: '86400',
  }),
  SUBMIT_UNKNOWN_SECONDS: setting(wholeNumber(60, 30 * DAY).default(900), {
    about:
      'if a device lost its record of a message, and no report shows whether the message was sent, the message fails with submit_unknown after this number of seconds',
    example: '900',
  }),
  METRICS_TOKEN: setting(text().min(16, 'needs at least 16 characters').optional(), {
    about: 'bearer token for /metrics on PORT; when not set, /metrics is not served there',
    example: '$(openssl rand -hex 16)',
    secret: true,
  }),
  METRICS_PORT: setting(port().optional(), {
    about: 'separate port on which /metrics needs no token',
    example: '9464',
  }),
  METRICS_HOST: setting(text().default('127.0.0.1'), {
    about: 'address on which METRICS_PORT listens',
    example: '10.0.0.5',
  }),
  HEARTBEAT_SECONDS: setting(wholeNumber(1, 300).default(20), {
    about:
      'interval in seconds of the pings that agents and relay send to each other; a connection without an answer is closed after 2.25 intervals. If the interval is at least 4 s, an agent with unsent events closes it after 0.75 intervals',
    example: '20',
  }),
  DRAIN_SECONDS: setting(wholeNumber(0, 300).default(0), {
    about:
      'seconds for which the relay still serves requests after SIGTERM; /health/ready fails during this time, so that load balancers stop sending requests',
    example: '10',
  }),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'), {
    about: `lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
  }),
})

export interface RelayConfig extends z.output<typeof relaySettingsSchema> {
  /** For tests: the crash point at which the process kills itself. */
  readonly crashAt?: string | undefined
}

/** Reads and validates all settings. Nothing else reads the environment. */
export function readRelayConfig(environment: NodeJS.ProcessEnv): RelayConfig {
  const settings = readSettings(relaySettingsSchema, environment)
  refuseContradictions(settings)
  return { ...settings, crashAt: environment['SMSGW_CRASH_AT'] }
}

function refuseContradictions(config: RelayConfig): void {
  const weakness = secretWeakness(config.SERVER_SECRET)
  if (weakness) throw new StartError(`SERVER_SECRET ${weakness}: use the output of \`openssl rand -base64 32\``)
  for (const [one, other] of [
    ['ADMIN_USERNAME', 'ADMIN_PASSWORD'],
    ['ADMIN_PASSWORD', 'ADMIN_USERNAME'],
    ['TLS_CERT', 'TLS_KEY'],
    ['TLS_KEY', 'TLS_CERT'],
    ['ENROLMENT_TOKEN', 'ADMIN_USERNAME'],
    ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
    ['DATABASE_REPLICA_URL', 'DATABASE_URL'],
  ] as const)
    if (config[one] !== undefined && config[other] === undefined)
      throw new StartError(
        `${one} is set and ${other} is not: set both, for example ${other}=${aboutOf(relaySettingsSchema, other).example}`,
      )
  for (const name of ['TLS_CERT', 'TLS_KEY'] as const) {
    const file = config[name]
    if (file !== undefined && !existsSync(file)) throw new StartError(`${name} names ${file}, which does not exist`)
  }
  const { CONSOLE_DIR: folder } = config
  // In a checkout, the default folder need not exist yet.
  if (folder !== 'off' && folder !== consoleFolder() && !existsSync(join(folder, 'index.html')))
    throw new StartError(
      `CONSOLE_DIR names ${folder}, which has no index.html: name the folder of a built console, or set CONSOLE_DIR=off`,
    )
}

function databaseUrl() {
  return text().superRefine((value, context) => {
    const problem = databaseUrlProblem(value)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
}

/** Returns what is wrong with the URL, or undefined. */
function databaseUrlProblem(value: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(value)) return 'must begin with postgresql://'
  try {
    readDatabaseAddress(value)
    return undefined
  } catch (error) {
    if (error instanceof DatabaseAddressError) return error.message
    throw error
  }
}

/** A setting that lists networks or addresses, separated by commas. */
function networks() {
  return z.string().transform((value, context) => {
    const parts = value.split(',').map((part) => part.trim())
    const wrong = parts.find((part) => part !== '' && !isNetwork(part))
    if (wrong === undefined) return parts.filter((part) => part !== '')
    context.addIssue({ code: 'custom', message: `"${wrong}" is neither an address nor a network` })
    return z.NEVER
  })
}

function isNetwork(value: string): boolean {
  return value.includes('/') ? ipaddr.isValidCIDR(value) : ipaddr.isValid(value)
}

function region() {
  return z
    .string()
    .refine((value) => isSupportedCountry(value), {
      error: ({ input }) =>
        /^[A-Z]{2}$/.test(String(input))
          ? `"${input}" is not the code of a country`
          : 'must be a country code of two capital letters',
    })
    .transform((value) => value as CountryCode)
}

/**
 * Returns why a secret of sufficient length is weak, as the end of a sentence. Returns undefined if the secret is not
 * weak.
 */
function secretWeakness(secret: string): string | undefined {
  if (/change.?me|example|password|default|placeholder|your.?secret|insecure|0123456789abcdef|abcdefgh/i.test(secret))
    return 'is a sample from the documentation'
  if (new Set(secret).size < 8) return 'can be guessed: it repeats a few characters'
  return /^(.+?)\1+$/.test(secret) ? 'can be guessed: it repeats itself' : undefined
}
