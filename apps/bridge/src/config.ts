import { defaultFolder } from '@smsgw/daemon/default-folder'
import { setting, text } from '@smsgw/daemon/setting'
import { readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'
import { type Contact, slugOf } from './mqtt/discovery.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** The settings of the MQTT channel. A gateway takes them too. */
export const mqttSettings = z.object({
  MQTT_URL: setting(
    text()
      .refine((url) => /^mqtts?:$/.test(URL.parse(url)?.protocol ?? ''), 'must begin with mqtt:// or mqtts://')
      .optional(),
    {
      about:
        'address of an MQTT 5 broker, with user name and password; connects the account to MQTT and Home Assistant; default: no MQTT',
      example: 'mqtts://smsgw:secret@broker.example.org',
      secret: true,
    },
  ),
  MQTT_CA_FILE: setting(text().optional(), {
    about:
      'file with the certificate of the authority that signed the certificate of the broker; default: the public authorities',
    example: '/etc/smsgw/broker-ca.pem',
  }),
  MQTT_PREFIX: setting(topicPrefix().default('smsgw'), {
    about: 'first part of all MQTT topics; change it when several gateways use one broker',
    example: 'smsgw-office',
  }),
  MQTT_DISCOVERY_PREFIX: setting(topicPrefix().default('homeassistant'), {
    about: 'discovery prefix of Home Assistant; change it only if Home Assistant uses another one',
    example: 'homeassistant',
  }),
  MQTT_CONTACTS: setting(
    z
      .string()
      .transform(readContacts)
      .default(() => []),
    {
      about: 'people that Home Assistant can notify: name=number, separated by commas; a name may have several numbers',
      example: 'Anna=+447400123456,Family=+447400123456+447400123457',
    },
  ),
})

/** The settings of the bridge as a program of its own. */
export const settingsSchema = z.object({
  SMSGW_URL: setting(
    text()
      .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'must begin with https:// or http://')
      .default('http://127.0.0.1:3000'),
    { about: 'address of the gateway or relay', example: 'https://sms.example.org' },
  ),
  SMSGW_API_KEY: setting(text().optional(), {
    about:
      'API key with the scopes messages:send, messages:read, inbox:list and devices:list; alternative to SMSGW_USERNAME and SMSGW_PASSWORD',
    example: 'smsgw_live_7hYt2QmVx9Kd_…',
    secret: true,
  }),
  SMSGW_USERNAME: setting(text().optional(), { about: 'account, together with SMSGW_PASSWORD', example: 'sms' }),
  SMSGW_PASSWORD: setting(text().optional(), {
    about: 'password of the account; an API key is safer, because it can be limited and revoked',
    example: 'correct horse battery staple',
    secret: true,
  }),
  DATA_DIR: setting(
    text().default(() => defaultFolder('bridge')),
    {
      about: 'folder for the position in the events of the account and for messages that are not yet passed on',
      example: '/var/lib/smsgw/bridge',
    },
  ),
  ...mqttSettings.shape,
  LOG_LEVEL: setting(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'), {
    about: `lowest level of log lines: ${LOG_LEVELS.join(', ')}`,
    example: 'debug',
  }),
})

export type BridgeSettings = z.output<typeof settingsSchema>

/** The settings of the MQTT channel when it is switched on. */
export type MqttConfig = z.output<typeof mqttSettings> & { readonly MQTT_URL: string }

export type ApiCredentials = { readonly apiKey: string } | { readonly username: string; readonly password: string }

export interface BridgeConfig extends BridgeSettings {
  readonly credentials: ApiCredentials
}

/** Reads the configuration. Nothing else reads environment variables. */
export function readConfig(environment: NodeJS.ProcessEnv): BridgeConfig {
  const settings = readSettings(settingsSchema, environment)
  if (mqttConfig(settings) === undefined)
    throw new StartError('MQTT_URL must be set; for example MQTT_URL=mqtt://smsgw:secret@broker.example.org')
  return { ...settings, credentials: credentialsOf(settings) }
}

/** Reads the settings of the channels for a gateway, which connects to its own API. */
export function readChannels(environment: NodeJS.ProcessEnv): z.output<typeof mqttSettings> {
  return readSettings(mqttSettings, environment)
}

/** Returns the settings of MQTT, or undefined if it is switched off. */
export function mqttConfig(settings: z.output<typeof mqttSettings>): MqttConfig | undefined {
  const { MQTT_URL } = settings
  return MQTT_URL === undefined ? undefined : { ...settings, MQTT_URL }
}

function credentialsOf({ SMSGW_API_KEY, SMSGW_USERNAME, SMSGW_PASSWORD }: BridgeSettings): ApiCredentials {
  if (SMSGW_API_KEY !== undefined) return { apiKey: SMSGW_API_KEY }
  if (SMSGW_USERNAME !== undefined && SMSGW_PASSWORD !== undefined)
    return { username: SMSGW_USERNAME, password: SMSGW_PASSWORD }
  throw new StartError(
    'no credentials for the API: set SMSGW_API_KEY, or SMSGW_API_KEY_FILE to a file with the key; `smsgw gateway keys create` creates a key',
  )
}

/** Both prefixes are levels of topics, so they must not contain wildcards. */
function topicPrefix() {
  return z.string().regex(/^[^\s+#/$][^\s+#]{0,99}$/, 'must be a topic without spaces, + and #')
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
  else if (new Set(names).size < names.length) context.addIssue('has a name twice')
  return contacts
}
