import { z } from 'zod'
import { isObject } from '../fields/json.ts'
import { timeOfDayPattern } from '../fields/patterns.ts'

const seconds = z.int().min(1).max(86_400)
const days = z.int().min(1).max(36_500)
const timeOfDay = z
  .string()
  .regex(timeOfDayPattern, 'must be a time of day such as 08:30')
  .meta({ examples: ['08:30'] })

const messages = {
  send_interval_min: seconds.meta({ description: 'Minimum pause between messages of one SIM, in seconds' }),
  send_interval_max: seconds.meta({
    description:
      'Maximum pause between messages of one SIM, in seconds; each pause is a random value between minimum and maximum',
  }),
  limit_period: z.enum(['Disabled', 'PerMinute', 'Per30Minutes', 'PerHour', 'PerDay']),
  limit_value: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'Maximum number of messages per SIM in a `limit_period`' }),
  sim_selection_mode: z
    .enum(['OSDefault', 'RoundRobin', 'Random'])
    .meta({ description: '`OSDefault` uses the ready SIM with the lowest slot number' }),
  processing_order: z.enum(['LIFO', 'FIFO']),
  log_lifetime_days: days.meta({ description: 'Days for which finished and received messages are kept' }),
  work_hours_enabled: z.boolean(),
  work_hours_start: timeOfDay.meta({
    description: 'In the time zone of the agent. If the start is later than the end, the work hours run past midnight',
  }),
  work_hours_end: timeOfDay,
}
const webhooks = {
  retry_count: z.int().min(1).max(1000).meta({
    description:
      'Retries after the first attempt. The default schedule has ten retries. With a lower value the schedule ends earlier; with a higher value the last pause of the schedule is repeated',
  }),
  internet_required: z.boolean().meta({ description: 'Accepted, but has no effect' }),
}
const ping = {
  interval_seconds: seconds.meta({ description: 'Seconds between two `system:ping` events; no pings when absent' }),
}
const logs = { lifetime_days: days }
const gateway = {
  notification_channel: z.enum(['AUTO', 'SSE_ONLY']).meta({ description: 'Accepted, but has no effect' }),
}
const receiver = { content_provider_enabled: z.boolean().meta({ description: 'Accepted, but has no effect' }) }

const encryption = {
  inbox_public_key: z.base64().max(2_048).meta({
    description:
      'Public key of the account: RSA with at least 2048 bits, as SubjectPublicKeyInfo in base64. Agents encrypt the content of received messages with it, so that the relay cannot read them',
  }),
  inbox_key_version: z.int().min(1).max(2_147_483_647).meta({
    description:
      'Version of `inbox_public_key`. Required if `inbox_public_key` is set. Each encrypted value contains this version',
  }),
  inbox_hide_sender: z.boolean().meta({
    description:
      'Agents report an alias in place of the phone number of the sender, so that the relay does not know the number. Requires `inbox_public_key`. Default: false',
  }),
}

/** How long a finished message keeps its content. The relay sets this time for all accounts. */
const privacy = { forget_after_seconds: z.int().min(0).max(315_360_000) }

/** The settings that an agent applies, by section. The agent validates them as the API does. */
export const agentSettingKeys = { messages, ping, privacy, encryption }

/** The settings of an account. Keys with a default are always present. Secrets are never returned. */
export const settings = z
  .strictObject({
    messages: z.strictObject(messages).partial().required({
      limit_period: true,
      sim_selection_mode: true,
      processing_order: true,
      log_lifetime_days: true,
      work_hours_enabled: true,
    }),
    webhooks: z.strictObject(webhooks).partial().required({ internet_required: true }),
    ping: z.strictObject(ping).partial(),
    logs: z.strictObject(logs),
    gateway: z.strictObject(gateway).partial(),
    receiver: z.strictObject(receiver).partial(),
    encryption: z.strictObject(encryption).partial(),
  })
  .meta({ id: 'Settings' })

export type Settings = z.output<typeof settings>

/** Settings of other gateways with this API. These settings are stored and returned, but have no effect. */
export const settingsWithoutEffect = [
  'webhooks.internet_required',
  'gateway.notification_channel',
  'receiver.content_provider_enabled',
] as const

const settingEffect = z.strictObject({
  key: z.string().meta({ examples: ['messages.limit_value'] }),
  effect: z.enum(['active', 'inactive', 'never']).meta({
    description:
      '`active`: in effect. `inactive`: has no effect until another setting is changed, see `reason`. `never`: accepted because other programs send it, but has no effect',
  }),
  reason: z.string().optional(),
  isSet: z.boolean().optional().meta({
    description:
      'Whether the account has a value for this setting. Only for write-only settings, which GET /settings leaves out',
  }),
})

export const settingEffects = z.array(settingEffect).meta({ id: 'SettingEffects' })

export type SettingEffect = z.output<typeof settingEffect>

/** The settings of a new account. */
export const defaultSettings: Settings = {
  messages: {
    limit_period: 'Disabled',
    sim_selection_mode: 'OSDefault',
    processing_order: 'FIFO',
    log_lifetime_days: 30,
    work_hours_enabled: false,
  },
  webhooks: { internet_required: true },
  ping: {},
  logs: { lifetime_days: 30 },
  gateway: {},
  receiver: {},
  encryption: {},
}

/**
 * The body of PUT and PATCH is any part of the settings. Null resets a key or a whole section. Rules between keys are
 * not checked here, but on the merged settings.
 */
export const settingsChange = z
  .preprocess(
    inSnakeCase,
    z.object({
      messages: section(messages),
      webhooks: section({
        ...webhooks,
        signing_key: z
          .string()
          .max(1024)
          .meta({ description: 'Key of the signature in `X-Signature`. Write-only; an empty value changes nothing' }),
      }),
      ping: section(ping),
      logs: section(logs),
      encryption: section({
        ...encryption,
        passphrase: refused(
          'cannot be set here: only the agent may know this value, so set it at the agent and omit it here',
        ),
      }),
      gateway: section({
        ...gateway,
        cloud_url: refused('cannot be set here: set it at the agent and omit it here'),
        private_token: refused('cannot be set here: set it at the agent and omit it here'),
      }),
      receiver: section(receiver),
    }),
  )
  .transform(({ encryption, webhooks, gateway, ...rest }) => ({
    ...rest,
    encryption: encryption && withoutPassphrase(encryption),
    webhooks: webhooks && withoutEmptyKey(webhooks),
    gateway: gateway && { notification_channel: gateway.notification_channel },
  }))
  .meta({
    id: 'SettingsChange',
    description: 'Any part of the settings. Keys in camelCase are accepted too and take precedence',
    examples: [
      { messages: { send_interval_min: 5, send_interval_max: 15, limit_period: 'PerHour', limit_value: 100 } },
    ],
  })

export type SettingsChange = z.output<typeof settingsChange>

type Nullish<Shape> = { [Key in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Key] & z.ZodType>> }

function section<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const keys = Object.entries(shape).map(([key, schema]) => [key, schema.nullish()])
  return z.object(Object.fromEntries(keys) as Nullish<Shape>).nullish()
}

function refused(message: string) {
  return z.literal('', message)
}

function withoutPassphrase<Encryption extends { readonly passphrase?: unknown }>({
  passphrase: _,
  ...keys
}: Encryption): Omit<Encryption, 'passphrase'> {
  return keys
}

function withoutEmptyKey<Webhooks extends { signing_key?: string | null | undefined }>(webhooks: Webhooks): Webhooks {
  return webhooks.signing_key === '' ? { ...webhooks, signing_key: undefined } : webhooks
}

/** Returns the settings with keys in snake case, so that `sendIntervalMin` becomes `send_interval_min`. */
function inSnakeCase(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, isObject(part) ? snakeKeys(part) : part]),
  )
}

function snakeKeys(section: object): object {
  const entries = Object.entries(section)
  const spelled = entries.filter(([key]) => /[A-Z]/.test(key))
  const snake = spelled.map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value])
  return Object.fromEntries([...entries.filter(([key]) => !/[A-Z]/.test(key)), ...snake])
}
