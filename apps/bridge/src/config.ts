import { BlockList, isIP, isIPv4 } from 'node:net'
import { defaultFolder } from '@smsgw/daemon/files/default-folder'
import { flag, port, setting, text, wholeNumber } from '@smsgw/daemon/setting'
import { readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import { type ChatConfig, chatSettings } from './chat/chat-settings.ts'
import { type Contact, slugOf } from './mqtt/discovery.ts'

const ALPHABETS = ['gsm7', 'latin1', 'utf8'] as const
const LONG_TEXTS = ['payload', 'parts'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** The settings of the MQTT channel, which a gateway also accepts. */
export const mqttSettings = z.object({
  MQTT_URL: setting(
    text()
      .refine((url) => /^mqtts?:$/.test(URL.parse(url)?.protocol ?? ''), 'must begin with mqtt:// or mqtts://')
      .optional(),
    {
      about:
        'address of an MQTT 5 broker, with username and password; connects the account to MQTT and Home Assistant; default: no MQTT',
      example: 'mqtts://smsgw:secret@broker.example.org',
      secret: true,
    },
  ),
  MQTT_CA_FILE: setting(text().optional(), {
    about: 'file with the CA certificate that verifies the broker; default: the public certificate authorities',
    example: '/etc/smsgw/broker-ca.pem',
  }),
  MQTT_PREFIX: setting(topicPrefix().default('smsgw'), {
    about: 'first part of all MQTT topics; change it if several gateways share one broker',
    example: 'smsgw-office',
  }),
  MQTT_DISCOVERY_PREFIX: setting(topicPrefix().default('homeassistant'), {
    about: 'discovery prefix of Home Assistant; change it only if Home Assistant uses another prefix',
    example: 'homeassistant',
  }),
  MQTT_CONTACTS: setting(
    z
      .string()
      .transform(readContacts)
      .default(() => []),
    {
      about:
        'list of name=number, separated by commas: the people that Home Assistant can notify; if a name has several numbers, join them with +',
      example: 'Anna=+447400123456,Family=+447400123456+447400123457',
    },
  ),
})

/** The settings of the e-mail channel, which a gateway also accepts. */
export const emailSettings = z.object({
  SMTP_PORT: setting(port().optional(), {
    about: 'port of an SMTP server that sends mail for <number>@SMTP_DOMAIN as SMS; default: no SMTP server',
    example: '2525',
  }),
  SMTP_HOST: setting(text().default('127.0.0.1'), {
    about: 'address on which the SMTP server listens; use 0.0.0.0 for all addresses of the machine',
    example: '0.0.0.0',
  }),
  SMTP_DOMAIN: setting(
    text()
      .regex(/^(?=.{1,255}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'must be a domain')
      .default('sms.localhost'),
    { about: 'domain of the mail addresses <number>@SMTP_DOMAIN', example: 'sms.example.org' },
  ),
  SMTP_TLS_CERT: setting(text().optional(), {
    about: 'certificate file for STARTTLS; without it, only clients on this machine can log in',
    example: '/etc/smsgw/smtp.pem',
  }),
  SMTP_TLS_KEY: setting(text().optional(), {
    about: 'file with the private key of the certificate in SMTP_TLS_CERT',
    example: '/etc/smsgw/smtp.key',
  }),
  SMTP_ALLOW_CIDRS: setting(z.string().transform(readNetworks).optional(), {
    about: 'networks whose mail servers may send without an API key, separated by commas; default: none',
    example: '192.168.1.0/24,::1',
  }),
  SMTP_SUBJECT: setting(flag().default(true), {
    about: 'puts the subject of a mail before its text; the subject of a reply is always left out',
    example: '0',
  }),
  SMTP_MAX_CHARACTERS: setting(wholeNumber(1, 10_000).default(1_000), {
    about: 'largest number of characters in a text; a mail with more is refused',
    example: '459',
  }),
  MAIL_URL: setting(
    text()
      .refine((url) => /^smtps?:$/.test(URL.parse(url)?.protocol ?? ''), 'must begin with smtp:// or smtps://')
      .optional(),
    {
      about:
        'mail server for received messages and failure reports, with username and password; default: no mail is sent',
      example: 'smtps://smsgw:secret@mail.example.org',
      secret: true,
    },
  ),
  MAIL_FROM: setting(z.email('must be an address').optional(), {
    about: 'sender of mail from the gateway; default: noreply@ followed by SMTP_DOMAIN',
    example: 'sms@example.org',
  }),
  MAIL_TO: setting(
    z
      .string()
      .transform((value) => value.split(',').map((address) => address.trim()))
      .pipe(z.array(z.email('must be a list of addresses, separated by commas')))
      .default(() => []),
    { about: 'addresses that get every received message, separated by commas', example: 'office@example.org' },
  ),
})

/** The settings of the SMPP channel, which a gateway also accepts. */
export const smppSettings = z.object({
  SMPP_PORT: setting(port().optional(), {
    about: 'port of an SMPP 3.4 server without TLS, usually 2775; default: no server without TLS',
    example: '2775',
  }),
  SMPP_TLS_PORT: setting(port().optional(), {
    about: 'port of an SMPP 3.4 server with TLS, usually 2776; needs SMPP_TLS_CERT; default: no server with TLS',
    example: '2776',
  }),
  SMPP_HOST: setting(text().default('127.0.0.1'), {
    about: 'address on which the SMPP server listens; use 0.0.0.0 for all addresses of the machine',
    example: '0.0.0.0',
  }),
  SMPP_ALLOW_CIDRS: setting(z.string().transform(readNetworks).optional(), {
    about:
      'networks whose SMPP clients may connect, separated by commas; by default, only this machine may connect without TLS, and every network may connect with TLS',
    example: '192.168.1.0/24,::1',
  }),
  SMPP_TLS_CERT: setting(text().optional(), {
    about: 'certificate file for SMPP_TLS_PORT',
    example: '/etc/smsgw/smpp.pem',
  }),
  SMPP_TLS_KEY: setting(text().optional(), {
    about: 'file with the private key of the certificate in SMPP_TLS_CERT',
    example: '/etc/smsgw/smpp.key',
  }),
  SMPP_USERS: setting(z.string().transform(readUsers).optional(), {
    about:
      'list of name=password, separated by commas: system ids and passwords of clients that allow only 8 characters in a password; these clients use the account of the bridge; default: none',
    example: 'kannel=qx7Ru2dA',
    secret: true,
  }),
  SMPP_ALPHABET: setting(z.enum(ALPHABETS, `must be one of ${ALPHABETS.join(', ')}`).default('gsm7'), {
    about: `alphabet of data_coding 0: ${ALPHABETS.join(', ')}; change it only if clients use another alphabet`,
    example: 'latin1',
  }),
  SMPP_SOURCE: setting(z.enum(['ignore', 'refuse'], 'must be "ignore" or "refuse"').default('ignore'), {
    about: 'what to do with a source address that is not the number of a SIM: "ignore" it, or "refuse" the message',
    example: 'refuse',
  }),
  SMPP_LONG_TEXT: setting(z.enum(LONG_TEXTS, `must be one of ${LONG_TEXTS.join(', ')}`).default('payload'), {
    about: 'form of long received texts: "payload" (one deliver_sm with message_payload) or "parts"',
    example: 'parts',
  }),
})

/** The settings of the MCP server, which a gateway also accepts. */
export const mcpSettings = z.object({
  MCP_PORT: setting(port().optional(), {
    about: 'port of an MCP server for AI assistants, which use their own API keys; default: no MCP server',
    example: '3333',
  }),
  MCP_HOST: setting(text().default('127.0.0.1'), {
    about: 'address on which the MCP server listens; use 0.0.0.0 for all addresses of the machine',
    example: '0.0.0.0',
  }),
  MCP_ALLOWED_HOSTS: setting(
    z
      .string()
      .transform((value) => value.split(',').map((name) => name.trim().toLowerCase()))
      .pipe(
        z.array(z.string().regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])$/, 'must be a list of names without ports')),
      )
      .default(() => []),
    {
      about:
        'names and IP addresses that clients use for the MCP server, separated by commas, in addition to localhost; requests with another host name are refused',
      example: 'sms.example.org,192.168.1.20',
    },
  ),
})

/** The settings of all channels. */
export const channelSettings = mqttSettings
  .extend(emailSettings.shape)
  .extend(chatSettings.shape)
  .extend(smppSettings.shape)
  .extend(mcpSettings.shape)

/** The setting of a gateway for its own bridge. */
export const bridgeAddressSettings = z.object({
  SMSGW_URL: setting(apiAddress().optional(), {
    about:
      'address at which the bridge reaches this gateway; set it if TLS_CERT is set, to a host name in the certificate',
    example: 'https://sms.example.org:3000',
  }),
})

/** The settings of the bridge as a separate program. */
export const bridgeSettingsSchema = z.object({
  SMSGW_URL: setting(apiAddress().default('http://127.0.0.1:3000'), {
    about: 'address of the gateway or relay',
    example: 'https://sms.example.org',
  }),
  SMSGW_API_KEY: setting(text().optional(), {
    about:
      'API key with the scopes messages:send, messages:read, inbox:list and devices:list; alternative to SMSGW_USERNAME and SMSGW_PASSWORD',
    example: 'smsgw_live_7hYt2QmVx9Kd_…',
    secret: true,
  }),
  SMSGW_USERNAME: setting(text().optional(), {
    about: 'username of the account; also set SMSGW_PASSWORD',
    example: 'sms',
  }),
  SMSGW_PASSWORD: setting(text().optional(), {
    about: 'password of the account; an API key is safer, because it can be limited and revoked',
    example: 'correct horse battery staple',
    secret: true,
  }),
  DATA_DIR: setting(
    text().default(() => defaultFolder('bridge')),
    {
      about:
        'folder in which the bridge stores messages that are not yet forwarded, and the id of the last event that it forwarded',
      example: '/var/lib/smsgw/bridge',
    },
  ),
  ...channelSettings.shape,
  LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'), {
    about: `lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
  }),
})

export type BridgeSettings = z.output<typeof bridgeSettingsSchema>

/** The settings of an enabled MQTT channel. */
export type MqttConfig = z.output<typeof mqttSettings> & { readonly MQTT_URL: string }

/** The settings of an enabled e-mail channel. */
export type EmailConfig = z.output<typeof emailSettings>

/** The settings of an enabled SMPP channel. */
export type SmppConfig = z.output<typeof smppSettings>

/** The enabled channels. */
/** The settings of an enabled MCP server. */
export type McpConfig = z.output<typeof mcpSettings> & { readonly MCP_PORT: number }

export interface Channels {
  readonly mqtt: MqttConfig | undefined
  readonly email: EmailConfig | undefined
  readonly chat: ChatConfig | undefined
  readonly smpp: SmppConfig | undefined
  readonly mcp: McpConfig | undefined
}

export type ApiCredentials = { readonly apiKey: string } | { readonly username: string; readonly password: string }

export interface BridgeConfig extends BridgeSettings {
  readonly credentials: ApiCredentials
  readonly channels: Channels
}

/** Reads the configuration. No other code reads environment variables. */
export function readBridgeConfig(environment: NodeJS.ProcessEnv): BridgeConfig {
  const settings = readSettings(bridgeSettingsSchema, environment)
  const channels = channelsOf(settings)
  if (channels === undefined)
    throw new StartError(
      'no channel is switched on: set MQTT_URL for MQTT, SMTP_PORT to receive mail, MAIL_URL to send mail, CHAT_URLS for chats, SMPP_PORT for SMPP, or MCP_PORT for AI assistants',
    )
  return { ...settings, channels, credentials: credentialsOf(settings) }
}

/**
 * Reads the settings of the channels for a gateway, which connects to its own API. Returns undefined if no channel is
 * enabled.
 */
export function readChannels(environment: NodeJS.ProcessEnv): Channels | undefined {
  return channelsOf(readSettings(channelSettings, environment))
}

function channelsOf(settings: z.output<typeof channelSettings>): Channels | undefined {
  const { MQTT_URL, SMTP_PORT, SMTP_TLS_CERT, SMTP_TLS_KEY, MAIL_URL, MAIL_TO, CHAT_URLS = [], MCP_PORT } = settings
  const hasEmail = SMTP_PORT !== undefined || MAIL_URL !== undefined
  if ((SMTP_TLS_CERT === undefined) !== (SMTP_TLS_KEY === undefined))
    throw new StartError('SMTP_TLS_CERT and SMTP_TLS_KEY must be set together')
  if (MAIL_TO.length > 0 && MAIL_URL === undefined)
    throw new StartError('MAIL_TO needs MAIL_URL; for example MAIL_URL=smtps://smsgw:secret@mail.example.org')
  const smpp = smppOf(settings)
  const mcp = MCP_PORT === undefined ? undefined : { ...settings, MCP_PORT }
  if (MQTT_URL === undefined && !hasEmail && CHAT_URLS.length === 0 && !smpp && !mcp) return undefined
  return {
    mqtt: MQTT_URL === undefined ? undefined : { ...settings, MQTT_URL },
    email: hasEmail ? settings : undefined,
    chat: CHAT_URLS.length === 0 ? undefined : { ...settings, CHAT_URLS },
    smpp,
    mcp,
  }
}

function smppOf(settings: SmppConfig): SmppConfig | undefined {
  const { SMPP_PORT, SMPP_TLS_PORT, SMPP_TLS_CERT, SMPP_TLS_KEY } = settings
  if ((SMPP_TLS_CERT === undefined) !== (SMPP_TLS_KEY === undefined))
    throw new StartError('SMPP_TLS_CERT and SMPP_TLS_KEY must be set together')
  if (SMPP_TLS_PORT !== undefined && SMPP_TLS_CERT === undefined)
    throw new StartError('SMPP_TLS_PORT needs SMPP_TLS_CERT and SMPP_TLS_KEY')
  return SMPP_PORT === undefined && SMPP_TLS_PORT === undefined ? undefined : settings
}

function credentialsOf({ SMSGW_API_KEY, SMSGW_USERNAME, SMSGW_PASSWORD }: BridgeSettings): ApiCredentials {
  if (SMSGW_API_KEY !== undefined) {
    if (!/^[!-~]+$/.test(SMSGW_API_KEY))
      throw new StartError(
        'SMSGW_API_KEY contains a space or another character that is not allowed in a key: copy the key again',
      )
    return { apiKey: SMSGW_API_KEY }
  }
  if (SMSGW_USERNAME?.includes(':'))
    throw new StartError('SMSGW_USERNAME contains a colon: set it to the name without the password')
  if (SMSGW_USERNAME !== undefined && SMSGW_PASSWORD !== undefined)
    return { username: SMSGW_USERNAME, password: SMSGW_PASSWORD }
  throw new StartError(
    'no credentials for the API: set SMSGW_API_KEY, or SMSGW_API_KEY_FILE to a file with the key; `smsgw gateway keys create` creates a key',
  )
}

/** Reads networks such as `192.168.1.0/24`, and single addresses. */
function readNetworks(value: string, context: z.RefinementCtx): BlockList {
  const list = new BlockList()
  for (const entry of value.split(',').map((part) => part.trim())) {
    const [address = '', bits = isIPv4(address) ? '32' : '128'] = entry.split('/', 2)
    const most = isIPv4(address) ? 32 : 128
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
      context.addIssue('must be a list of networks such as 192.168.1.0/24, separated by commas')
      return list
    }
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Reads system ids with passwords. A password may contain `=`. */
function readUsers(value: string, context: z.RefinementCtx): Map<string, string> {
  const users = new Map<string, string>()
  for (const entry of value.split(',').map((part) => part.trim())) {
    const [, name = '', password = ''] = /^([^=]*)=(.*)$/.exec(entry) ?? []
    if (!/^[\x21-\x7e]{1,15}$/.test(name) || !/^[\x21-\x7e]{8,64}$/.test(password))
      context.addIssue(
        'must be a list of name=password, separated by commas; names have at most 15 characters, passwords at least 8',
      )
    else if (users.has(name)) context.addIssue('contains a name twice')
    users.set(name, password)
  }
  return users
}

/** An address of the API. The credentials have settings of their own. */
function apiAddress() {
  return text()
    .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'must begin with https:// or http://')
    .refine((url) => {
      const { username = '', password = '' } = URL.parse(url) ?? {}
      return username === '' && password === ''
    }, 'must not contain a username or a password')
}

/** Both prefixes are parts of topics, so they must not contain wildcards. */
function topicPrefix() {
  return z.string().regex(/^[^\s+#/$][^\s+#]{0,99}$/, 'must be a topic without spaces, "+" and "#"')
}

function readContacts(value: string, context: z.RefinementCtx): Contact[] {
  const contacts = value
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [name = '', numbers = ''] = entry.split('=', 2).map((part) => part.trim())
      return { name, numbers: numbers.split(/(?=\+)/).map((number) => number.trim()) }
    })
  const wrong = contacts.find(
    ({ name, numbers }) => name === '' || numbers.some((number) => !/^\+?\d{3,20}$/.test(number)),
  )
  const names = contacts.map(({ name }) => slugOf(name))
  if (wrong !== undefined) context.addIssue('must be a list of name=number, separated by commas')
  else if (new Set(names).size < names.length) context.addIssue('contains a name twice')
  return contacts
}
