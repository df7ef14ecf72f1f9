import type { z } from 'zod'
import { noControlCharacters, pinPattern, recipientPattern, timeOfDayPattern } from './patterns.ts'

/**
 * Stable codes for what is wrong with a member of a request, each with the names of its values. Programs translate a
 * code and its values instead of the English message. Codes are never renamed, but new ones may be added.
 */
export const fieldReasons = {
  /** What is wrong is described by the message only. */
  invalid: [],
  required: [],
  wrong_type: [],
  wrong_format: [],
  unknown_value: [],
  not_an_integer: [],
  too_small: ['minimum'],
  too_large: ['maximum'],
  too_short: ['minimum'],
  too_long: ['maximum'],
  too_few: ['minimum'],
  too_many: ['maximum'],
  control_characters: [],
  not_in_future: [],
  not_before_deadline: [],
  unknown_device: [],
  unknown_sim: ['simNumber'],
  emulated_modem: [],
  too_many_parts: ['parts', 'maximum'],
  phone_number_invalid: ['value'],
  phone_number_country_code: ['value'],
  phone_number_too_short: ['value'],
  phone_number_too_long: ['value'],
  phone_number_not_in_plan: ['value'],
  phone_number_extension: ['value'],
  phone_number_repeated: [],
  phone_number_not_allowed: [],
  number_or_prefix: ['value'],
  limits_with_keys_manage: [],
  approval_with_scope: ['scope'],
  pin_format: [],
  time_of_day: [],
  pauses_reversed: ['minimum', 'maximum'],
  limit_without_value: [],
  work_hours_missing: [],
  work_hours_equal: [],
  hidden_sender_without_key: [],
  key_without_version: [],
  version_without_key: [],
  rsa_key: [],
  key_version_reused: [],
  phone_cannot_hide_senders: ['device'],
  agent_cannot_hide_senders: ['device'],
  password_too_short: ['minimum'],
  password_too_long: ['maximum'],
  password_is_username: [],
  password_too_simple: [],
  url_invalid: [],
  url_not_https: [],
  url_http_not_allowed: [],
  url_credentials: [],
  url_of_relay: [],
  url_port: ['port'],
  url_not_public: ['address'],
  not_a_twilio_event: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type FieldReason = keyof typeof fieldReasons
export type ReasonValues = Readonly<Record<string, string | number>>

/**
 * Stable codes for the reasons why a whole request was refused, each with the names of its values. `keyRefusals` has
 * the codes for the limits of API keys. An answer has no code if its status says everything.
 */
export const requestReasons = {
  wrong_credentials: [],
  wrong_current_password: [],
  too_many_attempts: ['seconds'],
  scope_required: ['scope'],
  insecure_connection: [],
  no_device: [],
  queue_full: [],
  device_offline: [],
  device_built_in: [],
  agent_too_old: [],
  sim_busy: [],
  network_silent: [],
  message_final: [],
  approval_decided: ['decision', 'by'],
  approval_expired: [],
  key_revoked: [],
  too_many_keys: ['maximum'],
  too_many_notes: ['maximum'],
  too_many_labels: ['maximum'],
  label_exists: [],
  too_many_webhooks: ['maximum'],
  webhook_disabled: [],
  id_exists: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type RequestReason = keyof typeof requestReasons

interface ProblemReason {
  readonly reason: FieldReason
  readonly values?: ReasonValues
}

/** The parameters of a rule of a schema that give its problem a code: `.refine(isPin, { error, ...withReason(…) })`. */
export function withReason(reason: FieldReason, values: ReasonValues = {}) {
  return { params: { reason, values } }
}

/** Returns the code and the values of a problem that a schema found. */
export function reasonOf(issue: z.core.$ZodIssue): ProblemReason {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return { reason: 'required' }
      return { reason: issue.expected === 'int' ? 'not_an_integer' : 'wrong_type' }
    case 'too_small':
      if (issue.origin !== 'number' && issue.origin !== 'int' && issue.minimum === 1) return { reason: 'required' }
      return { reason: smallReason(issue.origin), values: { minimum: Number(issue.minimum) } }
    case 'too_big':
      return { reason: bigReason(issue.origin), values: { maximum: Number(issue.maximum) } }
    case 'invalid_value':
      return { reason: issue.input === undefined ? 'required' : 'unknown_value' }
    case 'invalid_format':
      return ofPattern(issue)
    case 'custom':
      return (issue.params as ProblemReason | undefined) ?? { reason: 'invalid' }
    default:
      return { reason: 'invalid' }
  }
}

/** A rule with a pattern, unlike a refinement, has no parameters. */
function ofPattern({ pattern = '', input }: z.core.$ZodIssueInvalidStringFormat): ProblemReason {
  const reason = reasonsOfPatterns[pattern] ?? 'wrong_format'
  return reason === 'number_or_prefix' ? { reason, values: { value: String(input).slice(0, 64) } } : { reason }
}

const reasonsOfPatterns: Readonly<Record<string, FieldReason>> = {
  [String(noControlCharacters)]: 'control_characters',
  [String(pinPattern)]: 'pin_format',
  [String(recipientPattern)]: 'number_or_prefix',
  [String(timeOfDayPattern)]: 'time_of_day',
}

function smallReason(origin: string): FieldReason {
  if (origin === 'string') return 'too_short'
  return origin === 'array' ? 'too_few' : 'too_small'
}

function bigReason(origin: string): FieldReason {
  if (origin === 'string') return 'too_long'
  return origin === 'array' ? 'too_many' : 'too_large'
}
