import type { FieldReason } from '@smsgw/contract/fields/problem-reason'
import { type CountryCode, ParseError, type PhoneNumber, parsePhoneNumberWithError } from 'libphonenumber-js/max'

export interface NumberRules {
  /** Country of numbers without `+`. If it is undefined, all numbers must be international. */
  readonly region: CountryCode | undefined
  /** Accepts everything that a modem can dial. */
  readonly skipValidation: boolean
  /** Keeps short codes as written. All other numbers are checked. */
  readonly allowShortCodes?: boolean
}

export type NormalisedNumber = { readonly ok: true; readonly number: string } | ({ readonly ok: false } & NumberProblem)

/** Why a number is refused. The message is the end of a sentence that begins with the number. */
interface NumberProblem {
  readonly reason: FieldReason
  readonly message: string
}

/**
 * Returns a number as it is stored, dialled and compared: in E.164, or without punctuation if it is a short code or
 * validation is skipped.
 */
export function normaliseNumber(
  text: string,
  { region, skipValidation, allowShortCodes = false }: NumberRules,
): NormalisedNumber {
  if (skipValidation) return dialable(text)
  const mayBeShortCode = /^\d{3,6}$/.test(text.replace(PUNCTUATION, ''))
  if (mayBeShortCode && allowShortCodes && !isMobileNumber(text, region)) return dialable(text)
  const read = readNumber(text, region)
  if (read.ok) return { ok: true, number: read.parsed.number }
  if (!mayBeShortCode) return read
  return { ...read, message: `${read.message.replace(/:.*$/, '')}: ${SHORT_CODE}` }
}

const SHORT_CODE = 'to send to a short code, use POST /3rdparty/v1/messages?allowShortCodes=true'

/** In some regions, for example in Andorra, mobile numbers are as short as short codes. */
function isMobileNumber(text: string, region: CountryCode | undefined): boolean {
  if (region === undefined) return false
  const read = valid(text, region)
  return read.ok && ['MOBILE', 'FIXED_LINE_OR_MOBILE'].includes(read.parsed.getType() ?? '')
}

/** Returns the forms in which a number may be stored: as written, and as normalised for sending. */
export function storedSpellings(text: string, region: CountryCode | undefined): readonly string[] {
  const read = normaliseNumber(text, { region, skipValidation: false })
  return read.ok && read.number !== text ? [text, read.number] : [text]
}

const PUNCTUATION = /[\s().\-/]/g

function dialable(text: string): NormalisedNumber {
  const number = text.replace(PUNCTUATION, '')
  if (/^\+?[0-9*#]{1,20}$/.test(number)) return { ok: true, number }
  const message = 'cannot be dialled: use 1 to 20 of the characters 0-9 * # with an optional leading +'
  return { ok: false, reason: 'phone_number_invalid', message }
}

type ReadNumber = { readonly ok: true; readonly parsed: PhoneNumber } | ({ readonly ok: false } & NumberProblem)

/**
 * If a region is set, and the digits are valid both as a national and as an international number, it counts as
 * national. For example, with a `+` in front, 15 % of Canada's national numbers would be valid numbers of another
 * country.
 */
function readNumber(text: string, region: CountryCode | undefined): ReadNumber {
  const digits = text.replace(PUNCTUATION, '')
  if (digits.startsWith('+')) return valid(text, undefined)
  if (digits.startsWith('00')) return valid(`+${digits.slice(2)}`, undefined)
  const international = valid(`+${digits}`, undefined)
  if (region === undefined) return international
  const national = valid(text, region)
  if (!national.ok) return international.ok ? international : national
  return international.ok && isMobileWithoutPlus(international.parsed, national.parsed) ? international : national
}

/**
 * In Germany, Indonesia and Kosovo, landline numbers have no fixed length, so each mobile number without its `+` is
 * also a valid landline number. For an SMS, the mobile number is meant.
 */
function isMobileWithoutPlus(international: PhoneNumber, national: PhoneNumber): boolean {
  return (
    international.country === national.country &&
    international.getType() === 'MOBILE' &&
    national.getType() === 'FIXED_LINE'
  )
}

function valid(text: string, region: CountryCode | undefined): ReadNumber {
  const parsed = parse(text, region)
  if ('reason' in parsed) return { ok: false, ...parsed }
  if (parsed.ext !== undefined)
    return {
      ok: false,
      reason: 'phone_number_extension',
      message: 'has an extension, which SMS does not support',
    }
  if (!parsed.isValid()) {
    const message = `is not in the numbering plan of +${parsed.countryCallingCode}`
    return { ok: false, reason: 'phone_number_not_in_plan', message }
  }
  return { ok: true, parsed }
}

function parse(text: string, defaultCountry: CountryCode | undefined): PhoneNumber | NumberProblem {
  try {
    // If there is no region, the option is left out, because it has no value for "none".
    return parsePhoneNumberWithError(text, { extract: false, ...(defaultCountry && { defaultCountry }) })
  } catch (error) {
    if (error instanceof ParseError) return problems[error.message] ?? notANumber
    throw error
  }
}

const FORMAT = 'use the international format, for example +447400123456'
const notANumber: NumberProblem = {
  reason: 'phone_number_invalid',
  message: `is not a valid phone number: ${FORMAT}`,
}

const problems: Readonly<Record<string, NumberProblem>> = {
  NOT_A_NUMBER: notANumber,
  INVALID_COUNTRY: { reason: 'phone_number_country_code', message: `has no valid country code: ${FORMAT}` },
  TOO_SHORT: { reason: 'phone_number_too_short', message: 'is too short for a phone number' },
  TOO_LONG: { reason: 'phone_number_too_long', message: 'is too long for a phone number' },
  INVALID_LENGTH: { reason: 'phone_number_not_in_plan', message: 'has a length that is not valid in its country' },
}
