import { type CountryCode, ParseError, type PhoneNumber, parsePhoneNumberWithError } from 'libphonenumber-js/max'

export interface NumberRules {
  /** Country in which numbers without `+` are read; none: they must be international. */
  readonly region: CountryCode | undefined
  /** Whatever a modem can dial passes: short codes, numbers of machines. */
  readonly skipValidation: boolean
}

export type NormalisedNumber =
  | { readonly ok: true; readonly number: string }
  | { readonly ok: false; readonly reason: string }

/** The number as it is stored, sent to and compared: E.164, or what a modem dials. */
export function normaliseNumber(text: string, { region, skipValidation }: NumberRules): NormalisedNumber {
  if (skipValidation) return dialable(text)
  // Digits alone are mostly an international number whose + was lost on the way, in a form or a spreadsheet.
  const international = /^\d+$/.test(text.trim()) ? valid(`+${text.trim()}`, undefined) : undefined
  if (international?.ok) return international
  return valid(text, region)
}

function dialable(text: string): NormalisedNumber {
  const number = text.replace(/[\s().\-/]/g, '')
  if (/^\+?[0-9*#]{1,20}$/.test(number)) return { ok: true, number }
  return { ok: false, reason: 'cannot be dialled: 1 to 20 of 0-9 * #, and + in front' }
}

function valid(text: string, region: CountryCode | undefined): NormalisedNumber {
  const number = parsed(text, region)
  if (typeof number === 'string') return { ok: false, reason: number }
  if (number.ext !== undefined) return { ok: false, reason: 'has an extension, which an SMS cannot reach' }
  if (!number.isValid()) return { ok: false, reason: `is not in the numbering plan of +${number.countryCallingCode}` }
  return { ok: true, number: number.number }
}

function parsed(text: string, defaultCountry: CountryCode | undefined): PhoneNumber | string {
  try {
    // Without a region `extract` alone: the option has no value for "none".
    return parsePhoneNumberWithError(text, { extract: false, ...(defaultCountry && { defaultCountry }) })
  } catch (error) {
    if (error instanceof ParseError) return reasons[error.message] ?? 'is no phone number'
    throw error
  }
}

const reasons: Readonly<Record<string, string>> = {
  NOT_A_NUMBER: 'is no phone number',
  INVALID_COUNTRY: 'must be international, with + and the code of a country that exists',
  TOO_SHORT: 'is too short',
  TOO_LONG: 'is too long',
  INVALID_LENGTH: 'has a length that no number of its country has',
}
