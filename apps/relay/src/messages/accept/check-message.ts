import { isNumberAlias } from '@smsgw/contract/devices/number-alias'
import type { MessageContent, SendMessageQuery, SendMessageRequest } from '@smsgw/contract/messages/message'
import { partsNeeded, segmentData, TooManyPartsError } from '@smsgw/sms/segmentation/segment'
import type { CountryCode } from 'libphonenumber-js/max'
import type { ApiError, FieldError } from '../../http/errors/api-error.ts'
import { validationError } from '../../http/errors/validation-error.ts'
import { type NumberRules, normaliseNumber } from './phone-number.ts'

export interface MessageRules {
  /** Country of numbers without `+`. */
  readonly defaultRegion: CountryCode | undefined
  readonly maxSegments: number
}

/** A request that has passed all checks that do not need the account. */
export interface CheckedMessage {
  readonly numbers: readonly string[]
  readonly validUntil: Date | undefined
  readonly scheduleAt: Date | undefined
}

export type MessageCheck =
  | { readonly ok: true; readonly checked: CheckedMessage }
  | { readonly ok: false; readonly refusal: ApiError }

/** Checks what the schema cannot check: numbering plans, the number of parts, and times in the past. */
export function checkMessage(
  requested: SendMessageRequest,
  { skipPhoneValidation, allowShortCodes }: Pick<SendMessageQuery, 'skipPhoneValidation' | 'allowShortCodes'>,
  { defaultRegion, maxSegments }: MessageRules,
  now: Date,
): MessageCheck {
  const recipients = messageRecipients(
    requested.phoneNumbers,
    requested.isEncrypted
      ? 'encrypted'
      : { region: defaultRegion, skipValidation: skipPhoneValidation, allowShortCodes },
  )
  if (!recipients.ok) return refused(recipients.errors)
  const { scheduleAt } = requested
  const validUntil = endOf(requested, now)
  const errors = [
    ...timeErrors(scheduleAt, validUntil, now),
    ...mmsErrors(requested),
    ...(requested.isEncrypted ? [] : sizeErrors(requested, maxSegments)),
  ]
  if (errors.length > 0) return refused(errors)
  return { ok: true, checked: { numbers: recipients.numbers, validUntil, scheduleAt } }
}

function endOf({ ttlSeconds, validUntil }: SendMessageRequest, now: Date): Date | undefined {
  return ttlSeconds === undefined ? validUntil : new Date(now.getTime() + ttlSeconds * 1000)
}

function* timeErrors(scheduleAt: Date | undefined, validUntil: Date | undefined, now: Date): Generator<FieldError> {
  if (validUntil && validUntil <= now)
    yield { path: 'validUntil', reason: 'not_in_future', message: 'must be in the future' }
  if (!scheduleAt) return
  const path = 'scheduleAt'
  if (scheduleAt <= now)
    yield { path, reason: 'not_in_future', message: 'must be in the future: leave it out to send now' }
  else if (validUntil && scheduleAt >= validUntil)
    yield { path, reason: 'not_before_deadline', message: 'must be before the deadline set by ttl or validUntil' }
}

/** Returns errors of an MMS: only phones send MMS, and a phone cannot decrypt an alias. */
function* mmsErrors({ content, phoneNumbers }: SendMessageRequest): Generator<FieldError> {
  if (content.kind !== 'mms') return
  for (const [position, number] of phoneNumbers.entries())
    if (isNumberAlias(number))
      yield {
        path: `phoneNumbers[${position}]`,
        message: 'is an alias, to which no MMS can be sent: send a text or a link instead',
      }
}

function* sizeErrors({ content }: SendMessageRequest, maxSegments: number): Generator<FieldError> {
  const parts = partsBeyond(content, maxSegments)
  if (parts === undefined) return
  const path = content.kind === 'text' ? 'textMessage.text' : 'dataMessage.data'
  const message = `needs ${parts} parts, but at most ${maxSegments} are allowed: shorten it`
  yield { path, reason: 'too_many_parts', values: { parts, maximum: maxSegments }, message }
}

function refused(errors: readonly FieldError[]): MessageCheck {
  return { ok: false, refusal: validationError(errors, 'body') }
}

export type MessageRecipients =
  | { readonly ok: true; readonly numbers: readonly string[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] }

/**
 * Returns the numbers as they will be dialled, or an error for each invalid or repeated number. Encrypted numbers and
 * aliases are not checked, because only the agent can read them.
 */
export function messageRecipients(requested: readonly string[], rules: NumberRules | 'encrypted'): MessageRecipients {
  if (rules === 'encrypted') return { ok: true, numbers: requested }
  const errors: FieldError[] = []
  const positions = new Map<string, number>()
  for (const [position, text] of requested.entries()) {
    const normalised = isNumberAlias(text) ? ({ ok: true, number: text } as const) : normaliseNumber(text, rules)
    const path = `phoneNumbers[${position}]`
    if (!normalised.ok) {
      const { reason, message } = normalised
      errors.push({ path, reason, values: { value: text }, message: `${JSON.stringify(text)} ${message}` })
      continue
    }
    const first = positions.get(normalised.number)
    if (first === undefined) positions.set(normalised.number, position)
    else {
      const message = `is the same number as phoneNumbers[${first}]: remove one of them`
      errors.push({ path, reason: 'phone_number_repeated', message })
    }
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, numbers: [...positions.keys()] }
}

/** A part of UCS-2 text holds 67 UTF-16 units, or 66 if a surrogate pair would otherwise be split. */
const FEWEST_UNITS_OF_A_PART = 66

/**
 * Returns the number of parts if it exceeds `most`, otherwise undefined. Most texts are so short that their parts need
 * not be counted.
 */
export function partsBeyond(content: MessageContent, most: number): number | undefined {
  if (content.kind === 'mms') return undefined
  if (content.kind === 'data') return dataPartsBeyond(Buffer.from(content.data, 'base64'), content.port, most)
  if (content.text.length <= most * FEWEST_UNITS_OF_A_PART) return undefined
  const parts = partsNeeded(content.text)
  return parts > most ? parts : undefined
}

function dataPartsBeyond(data: Uint8Array, destination: number, maxParts: number): number | undefined {
  try {
    segmentData(data, { reference: 0, ports: { width: 16, destination, source: 0 }, maxParts })
    return undefined
  } catch (error) {
    if (error instanceof TooManyPartsError) return error.partsNeeded
    throw error
  }
}
