import type { SendMessageQuery, SendMessageRequest } from '@smsgw/contract/message'
import type { CountryCode } from 'libphonenumber-js/max'
import type { ApiError, FieldError } from '../http/api-error.ts'
import { refusal } from '../http/validation-error.ts'
import { messageRecipients } from './message-recipients.ts'
import { partsBeyond } from './message-size.ts'

export interface MessageRules {
  /** Country in which numbers without `+` are read. */
  readonly defaultRegion: CountryCode | undefined
  readonly maxSegments: number
}

/** What was asked, as far as it can be said without the account. */
export interface PlannedMessage {
  readonly numbers: readonly string[]
  readonly validUntil: Date | undefined
  readonly scheduleAt: Date | undefined
}

export type MessagePlan =
  | { readonly ok: true; readonly planned: PlannedMessage }
  | { readonly ok: false; readonly refusal: ApiError }

/** Checks what the schema cannot: numbering plans, the length on air, and times that lie behind. */
export function planMessage(
  asked: SendMessageRequest,
  { skipPhoneValidation }: Pick<SendMessageQuery, 'skipPhoneValidation'>,
  { defaultRegion, maxSegments }: MessageRules,
  now: Date,
): MessagePlan {
  const recipients = messageRecipients(
    asked.phoneNumbers,
    asked.isEncrypted ? 'encrypted' : { region: defaultRegion, skipValidation: skipPhoneValidation },
  )
  if (!recipients.ok) return refused(recipients.errors)
  const { scheduleAt } = asked
  const validUntil = endOf(asked, now)
  const errors = [
    ...timeErrors(scheduleAt, validUntil, now),
    ...(asked.isEncrypted ? [] : sizeErrors(asked, maxSegments)),
  ]
  if (errors.length > 0) return refused(errors)
  return { ok: true, planned: { numbers: recipients.numbers, validUntil, scheduleAt } }
}

function endOf({ ttlSeconds, validUntil }: SendMessageRequest, now: Date): Date | undefined {
  return ttlSeconds === undefined ? validUntil : new Date(now.getTime() + ttlSeconds * 1000)
}

function* timeErrors(scheduleAt: Date | undefined, validUntil: Date | undefined, now: Date): Generator<FieldError> {
  if (validUntil && validUntil <= now) yield { path: 'validUntil', message: 'must lie in the future' }
  if (!scheduleAt) return
  if (scheduleAt <= now) yield { path: 'scheduleAt', message: 'must lie in the future: leave it out to send now' }
  else if (validUntil && scheduleAt >= validUntil)
    yield { path: 'scheduleAt', message: 'must be before the end that ttl or validUntil sets' }
}

function* sizeErrors({ content }: SendMessageRequest, maxSegments: number): Generator<FieldError> {
  const parts = partsBeyond(content, maxSegments)
  if (parts === undefined) return
  const path = content.kind === 'text' ? 'textMessage.text' : 'dataMessage.data'
  yield { path, message: `needs ${parts} parts, at most ${maxSegments} are allowed: shorten it` }
}

function refused(errors: readonly FieldError[]): MessagePlan {
  return { ok: false, refusal: refusal(errors, 'body') }
}
