import { z } from 'zod'
import { keyId } from '../fields/ids.ts'
import { nameText } from '../fields/name-text.ts'
import { recipientPattern } from '../fields/patterns.ts'
import { exactRequestBody, unchangeable } from '../fields/request-body.ts'
import { instant, utcTime } from '../fields/times.ts'
import { requestedScope } from './token.ts'

/** Every API key starts with this text, so that scanners recognise a leaked key. */
export const KEY_PREFIX = 'smsgw_live_'

const name = nameText(64)
  .min(1)
  .meta({
    description: 'Name of the program or its purpose, without control and formatting characters',
    examples: ['door bell'],
  })

const sim = {
  deviceId: z.string().min(1).max(128).meta({ description: 'Device that may send: an id from `GET /devices`' }),
  simNumber: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Slot of the SIM that may send, counted from 1. Default: every SIM of the device' }),
}

const recipients = z
  .array(
    z.string().regex(recipientPattern, {
      error: ({ input }) =>
        `${JSON.stringify(String(input).slice(0, 64))} is neither a number (for example +447400123456) nor a prefix with an asterisk at the end (for example +44*)`,
    }),
  )
  .min(1)
  .max(1_000)
  .optional()
  .meta({
    description:
      'Numbers that the key may send to, in international format, or prefixes that end with `*`. Default: every number',
    examples: [['+447400123456', '+49*']],
  })

const recipientsPerDay = z.int().min(1).max(1_000_000).optional().meta({
  description:
    'Largest number of recipients per day (UTC). A message to three numbers counts as three. Default: no limit',
})

const sims = (item: z.ZodType<{ deviceId: string; simNumber?: number | undefined }>) =>
  z
    .array(item)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'SIMs that the key may use. Default: every SIM of the account' })

const approval = z.literal('required').optional().meta({
  description:
    '`required`: messages of the key are held until a person approves them (`POST /messages/{id}/approve`). Default: they are sent at once',
})

const requestedLimits = exactRequestBody({
  sims: sims(exactRequestBody(sim)),
  recipients,
  recipientsPerDay,
  approval,
}).meta({
  id: 'ApiKeyLimitsRequest',
  description: 'Limits on what the key may send; its scopes also apply. A limit that is not set means no limit',
})

export const keyLimits = z
  .strictObject({ sims: sims(z.strictObject(sim)), recipients, recipientsPerDay, approval })
  .meta({ id: 'ApiKeyLimits' })

export const apiKeyRequest = exactRequestBody({
  name,
  scopes: z.array(requestedScope).min(1).max(64).meta({
    description:
      'Scopes of the key. `all:any` does not include `messages:approve`, `keys:list`, `keys:manage` or `tokens:manage`: list each of these that the key needs',
  }),
  limits: requestedLimits.optional(),
  expiresAt: instant.optional().meta({ description: 'Time at which the key expires. Default: never' }),
}).meta({
  id: 'ApiKeyRequest',
  examples: [{ name: 'door bell', scopes: ['messages:send'], limits: { recipientsPerDay: 100, recipients: ['+44*'] } }],
})

const ANOTHER_KEY = 'create another key, and revoke this one with DELETE'

export const apiKeyChange = exactRequestBody({
  name: name.optional(),
  limits: requestedLimits
    .optional()
    .meta({ description: 'Replaces all limits; `{}` removes them. Default: unchanged' }),
  scopes: unchangeable(ANOTHER_KEY),
  expiresAt: unchangeable(ANOTHER_KEY),
}).meta({ id: 'ApiKeyChange', examples: [{ limits: { recipientsPerDay: 500 } }] })

export const apiKeyRotation = z
  .preprocess(
    (body) => body ?? {},
    exactRequestBody({
      overlapSeconds: z.int().min(0).max(2_592_000).default(86_400).meta({
        description: 'Seconds for which the previous key remains valid. Default: 86400, one day',
        default: 86_400,
      }),
    }),
  )
  .meta({ id: 'ApiKeyRotation', examples: [{ overlapSeconds: 3_600 }] })

/** An API key as listed, without the key itself. */
export const apiKey = z
  .strictObject({
    id: keyId,
    // Keys of earlier releases may have names that are refused today.
    name: z.string().meta({ description: 'Name of the program or its purpose', examples: ['door bell'] }),
    prefix: z.string().meta({ description: 'How the key begins', examples: ['smsgw_live_7hYt2QmVx9Kd_'] }),
    state: z.enum(['active', 'expired', 'revoked']),
    scopes: z.array(z.string()),
    limits: keyLimits,
    recipientsToday: z.int().optional().meta({
      description:
        'Number of recipients today that count towards `recipientsPerDay`; left out when the key has no such limit',
    }),
    createdAt: utcTime,
    createdByKeyId: keyId.optional().meta({ description: 'The key that created this key' }),
    rotatedAt: utcTime.optional(),
    previousValidUntil: utcTime
      .optional()
      .meta({ description: 'Time until which the previous key remains valid after a rotation' }),
    expiresAt: utcTime.optional(),
    revokedAt: utcTime.optional(),
    lastUsedAt: utcTime.optional().meta({ description: 'Time of the last use, to the minute' }),
    lastUsedFrom: z.string().optional().meta({
      description:
        'Address from which the key was last used: the IPv4 address, or the /64 network that contains the IPv6 address',
    }),
  })
  .meta({ id: 'ApiKey' })

// The name is not `NewApiKey`, which generators for Go use for the constructor of `ApiKey`.
export const apiKeyWithSecret = apiKey
  .extend({ key: z.string().meta({ description: 'The key. It is not shown again' }) })
  .meta({ id: 'ApiKeyWithSecret' })

export type KeyLimits = z.output<typeof keyLimits>
export type ApiKeyRequest = z.output<typeof apiKeyRequest>
export type ApiKey = z.output<typeof apiKey>
export type ApiKeyWithSecret = z.output<typeof apiKeyWithSecret>

/** Why a request with an API key was refused although the scopes of the key are sufficient. */
export const keyRefusals = ['key_recipient_limit', 'key_sim_limit', 'key_daily_limit', 'key_approval'] as const
export type KeyRefusal = (typeof keyRefusals)[number]
