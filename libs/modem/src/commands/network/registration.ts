import { type AtParameter, hexadecimalOf, integerOf, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import type { ResponseLine } from '../../wire/response-line.ts'
import { lastWith, type Query } from '../query.ts'

/**
 * The registration code of each domain: `+CREG` (circuit switched), `+CGREG` (packet), `+CEREG` (LTE), `+C5GREG` (5G).
 * 27.007
 */
export const registrationDomains = ['+CREG', '+CGREG', '+CEREG', '+C5GREG'] as const
export type RegistrationDomain = (typeof registrationDomains)[number]

export interface Registration {
  readonly domain: RegistrationDomain
  readonly stat: number
  readonly status: RegistrationStatus
  /** The location or tracking area, if the modem reports it. The next fields are the cell and the technology. */
  readonly area: number | undefined
  readonly cell: number | undefined
  readonly technology: Technology | undefined
}

export type RegistrationStatus =
  | 'not-searching'
  | 'home'
  | 'searching'
  | 'denied'
  | 'unknown'
  | 'roaming'
  | 'home-sms-only'
  | 'roaming-sms-only'
  | 'emergency-only'

export type Technology = 'GSM' | 'EDGE' | 'UMTS' | 'HSPA' | 'LTE' | 'NB-IoT' | 'LTE-M' | '5G'

/**
 * True if this registration allows SMS. SMS is allowed at home, when roaming, and in the state `SMS only`, which A7670
 * and LTE networks without voice report.
 */
export function canSendSms(registration: Registration): boolean {
  return smsCapable.has(registration.status)
}

const smsCapable: ReadonlySet<RegistrationStatus> = new Set(['home', 'roaming', 'home-sms-only', 'roaming-sms-only'])

export function readRegistration(domain: RegistrationDomain): Query<Registration> {
  return {
    text: `AT${domain}?`,
    timeoutMs: 10_000,
    prefixes: [domain],
    read: (lines) => {
      const line = lastWith(lines, domain)
      return line && registrationIn(line)
    },
  }
}

/** Tries mode 2, which also reports the cell, and then mode 1, because some firmware supports only mode 1. */
export function reportRegistration(domain: RegistrationDomain, mode: 1 | 2): Query<true> {
  return { text: `AT${domain}=${mode}`, timeoutMs: 5000, read: () => true }
}

/**
 * Reads the answer (`<n>,<stat>,…`) or the unsolicited code (`<stat>,…`). The second value distinguishes the two forms.
 */
export function registrationIn(line: ResponseLine): Registration | undefined {
  const domain = registrationDomains.find((known) => known === line.prefix)
  const parameters = parseParameters(line.body)
  const values = isStat(parameters[1]) ? parameters.slice(1) : parameters
  const stat = integerOf(values[0])
  if (domain === undefined || stat === undefined) return undefined
  return {
    domain,
    stat,
    status: statuses[stat] ?? 'unknown',
    area: hexadecimalOf(values[1]),
    cell: hexadecimalOf(values[2]),
    technology: technologyFromNumber(integerOf(values[3])),
  }
}

/** `+COPS` and the registration codes use the same numbers. 27.007 §7.3 */
export function technologyFromNumber(number: number | undefined): Technology | undefined {
  return number === undefined ? undefined : technologies[number]
}

/** A state has one or two digits, or is padded (`000,001`); an area has four hexadecimal digits, mostly in quotes. */
function isStat(parameter: AtParameter | undefined): boolean {
  if (parameter?.kind !== 'plain') return false
  const text = parameterText(parameter)
  return /^\d{1,3}$/.test(text) && Number(text) < statuses.length
}

const statuses: readonly RegistrationStatus[] = [
  'not-searching',
  'home',
  'searching',
  'denied',
  'unknown',
  'roaming',
  'home-sms-only',
  'roaming-sms-only',
  'emergency-only',
  // 6: registered, with circuit switched fallback not preferred.
  'home',
  'roaming',
  // Restricted local services; A7670 reports this if only emergency calls are possible.
  'emergency-only',
]

const technologies: readonly (Technology | undefined)[] = [
  'GSM',
  'GSM',
  'UMTS',
  'EDGE',
  'HSPA',
  'HSPA',
  'HSPA',
  'LTE',
  'LTE-M',
  'NB-IoT',
  'LTE',
  '5G',
  '5G',
  '5G',
]
