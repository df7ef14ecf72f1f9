import { existsSync } from 'node:fs'
import { flag, port, setting, text, wholeNumber } from '@smsgw/daemon/setting'
import { aboutOf, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import { consoleFolder } from './console/console-folder.ts'
import { secretWeakness } from './secret-weakness.ts'
import { networks, region } from './setting.ts'

const DAY = 86_400
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Every setting of the relay, by the name of its variable in the environment. */
export const settingsSchema = z.object({
  PORT: setting(port().default(3000), { about: 'port of the HTTP API', example: '3000' }),
  HOST: setting(text().default('127.0.0.1'), {
    about: 'address to listen on; 0.0.0.0 for all, behind a proxy or with TLS',
    example: '0.0.0.0',
  }),
  DATA_DIR: setting(text().default('./data'), {
    about: 'folder for everything that is written here: the embedded database, where DATABASE_URL is not set',
    example: '/var/lib/smsgw',
  }),
  DATABASE_URL: setting(
    text()
      .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
      .optional(),
    {
      about: 'PostgreSQL 14 or newer; without it an embedded one is started in DATA_DIR',
      example: 'postgresql://smsgw:password@db.example:5432/smsgw',
      secret: true,
    },
  ),
  DATABASE_CONNECTIONS: setting(wholeNumber(2, 500).default(10), {
    about: 'connections that this process may open, one more for wake hints aside',
    example: '20',
  }),
  DATABASE_WAIT_SECONDS: setting(wholeNumber(0, 3_600).default(30), {
    about: 'how long a start waits for a database that does not answer',
    example: '120',
  }),
  SERVER_SECRET: setting(text().min(32, 'needs at least 32 characters'), {
    about: 'encrypts keys and secrets in the database; keep it as safe as the database, and apart from it',
    example: '$(openssl rand -base64 32)',
    secret: true,
  }),
  ADMIN_USERNAME: setting(text().optional(), { about: 'first account, made when it is not there', example: 'sms' }),
  ADMIN_PASSWORD: setting(text().min(8, 'needs at least 8 characters').max(128).optional(), {
    about: 'its password, taken at its making only',
    example: '$(openssl rand -base64 18)',
    secret: true,
  }),
  ENROLMENT_TOKEN: setting(text().min(32, 'needs at least 32 characters').optional(), {
    about: 'agents that show it are paired with the account ADMIN_USERNAME, unattended',
    example: '$(openssl rand -base64 32)',
    secret: true,
  }),
  PUBLIC_URL: setting(z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(), {
    about: 'address under which callers reach the relay; issuer of its tokens, and the host that webhooks never call',
    example: 'https://sms.example.org',
  }),
  TRUSTED_PROXIES: setting(networks().default([]), {
    about: 'networks whose X-Forwarded-For and X-Forwarded-Proto are believed',
    example: '10.0.0.0/8,192.168.1.5',
  }),
  ALLOW_INSECURE_HTTP: setting(flag().default(false), {
    about: 'takes credentials over plain HTTP from elsewhere than this machine',
    example: '1',
  }),
  CONSOLE_DIR: setting(text().default(consoleFolder), {
    about: 'folder of the built web console; off for none. Default: console beside the bundle, or apps/console/dist',
    example: '/usr/share/smsgw/console',
  }),
  TLS_CERT: setting(text().optional(), { about: 'file of the certificate chain, PEM', example: '/etc/smsgw/tls.crt' }),
  TLS_KEY: setting(text().optional(), { about: 'file of its private key, PEM', example: '/etc/smsgw/tls.key' }),
  DEFAULT_REGION: setting(region().optional(), {
    about: 'country in which numbers without a + are read',
    example: 'DE',
  }),
  MAX_SEGMENTS: setting(wholeNumber(1, 255).default(255), {
    about: 'parts that a text may need before it is refused',
    example: '10',
  }),
  QUEUE_MAX_PENDING: setting(wholeNumber(1, 10_000_000).default(10_000), {
    about: 'messages that may wait for one device',
    example: '10000',
  }),
  HASH_AFTER_SECONDS: setting(wholeNumber(0, 10 * 365 * DAY).optional(), {
    about: 'so long after its end a message keeps its content and numbers, then only hashes of them; not set: never',
    example: '3600',
  }),
  TOKEN_MAX_TTL_SECONDS: setting(wholeNumber(60, 365 * DAY).default(DAY), {
    about: 'longest life of an access token',
    example: '86400',
  }),
  REFRESH_TTL_SECONDS: setting(wholeNumber(60, 365 * DAY).default(30 * DAY), {
    about: 'life of a refresh token',
    example: '2592000',
  }),
  WEBHOOK_ALLOW_HTTP: setting(flag().default(false), { about: 'webhooks may be plain HTTP', example: '1' }),
  WEBHOOK_ALLOW_CIDRS: setting(networks().default([]), {
    about: 'networks to which webhooks may go although they are not public',
    example: '192.168.0.0/16',
  }),
  DEVICE_SILENCE_SECONDS: setting(wholeNumber(60, 365 * DAY).default(7 * DAY), {
    about: 'a device that is silent for so long is taken for lost, with the messages it holds that never expire',
    example: '604800',
  }),
  DEVICE_SILENCE_AFTER_EXPIRY_SECONDS: setting(wholeNumber(60, 365 * DAY).default(DAY), {
    about: 'the same for a message that expires, counted from then',
    example: '86400',
  }),
  SUBMIT_UNKNOWN_SECONDS: setting(wholeNumber(60, 30 * DAY).default(900), {
    about: 'how long evidence is waited for on what a device lost the record of, before it ends as submit_unknown',
    example: '900',
  }),
  METRICS_TOKEN: setting(text().min(16, 'needs at least 16 characters').optional(), {
    about: 'bearer token for /metrics, which is not served on PORT without it',
    example: '$(openssl rand -hex 16)',
    secret: true,
  }),
  METRICS_PORT: setting(port().optional(), {
    about: 'a port of its own for /metrics, without a token',
    example: '9464',
  }),
  METRICS_HOST: setting(text().default('127.0.0.1'), { about: 'address of that port', example: '10.0.0.5' }),
  HEARTBEAT_SECONDS: setting(wholeNumber(1, 300).default(20), {
    about:
      'how often agents and relay ask each other whether they are there; two and a quarter times that is the limit',
    example: '20',
  }),
  DRAIN_SECONDS: setting(wholeNumber(0, 300).default(0), {
    about: 'after SIGTERM, how long to go on with /health/ready red, for a load balancer to notice',
    example: '10',
  }),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'), {
    about: `how much is logged: ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
  }),
})

export interface RelayConfig extends z.output<typeof settingsSchema> {
  /** For tests that kill the process at a certain place. */
  readonly crashAt?: string | undefined
}

/** The only reader of the environment. */
export function readConfig(environment: NodeJS.ProcessEnv): RelayConfig {
  const settings = readSettings(settingsSchema, environment)
  refuseContradictions(settings)
  return { ...settings, crashAt: environment['SMSGW_CRASH_AT'] }
}

function refuseContradictions(config: RelayConfig): void {
  const weakness = secretWeakness(config.SERVER_SECRET)
  if (weakness) throw new StartError(`SERVER_SECRET ${weakness}: take the output of \`openssl rand -base64 32\``)
  for (const [one, other] of [
    ['ADMIN_USERNAME', 'ADMIN_PASSWORD'],
    ['ADMIN_PASSWORD', 'ADMIN_USERNAME'],
    ['TLS_CERT', 'TLS_KEY'],
    ['TLS_KEY', 'TLS_CERT'],
    ['ENROLMENT_TOKEN', 'ADMIN_USERNAME'],
  ] as const)
    if (config[one] !== undefined && config[other] === undefined)
      throw new StartError(
        `${one} is set and ${other} is not: set both, for example ${other}=${aboutOf(settingsSchema, other).example}`,
      )
  for (const name of ['TLS_CERT', 'TLS_KEY'] as const) {
    const file = config[name]
    if (file !== undefined && !existsSync(file)) throw new StartError(`${name} names ${file}, which is not there`)
  }
}
