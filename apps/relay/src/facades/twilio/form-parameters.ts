import type { FacadeParameters } from '../../http/facade/facade.ts'
import { type TwilioCode, TwilioError } from './twilio-error.ts'

/** Returns a parameter, or undefined when it is missing. Returns the last value of a repeated parameter. */
export function parameter(parameters: FacadeParameters, name: string): string | undefined {
  const value = parameters[name]
  return typeof value === 'string' || value === undefined ? value : value.at(-1)
}

/** Returns a parameter, or undefined when it is missing or empty. */
export function filledParameter(parameters: FacadeParameters, name: string): string | undefined {
  return parameter(parameters, name)?.trim() || undefined
}

/** Returns true if any value of a parameter is not empty. A message can have several `MediaUrl`. */
export function isFilled(parameters: FacadeParameters, name: string): boolean {
  return [parameters[name] ?? ''].flat().some((value) => value.trim() !== '')
}

export function integerParameter(
  parameters: FacadeParameters,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  const text = filledParameter(parameters, name)
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new TwilioError(400, 20001, `${name} must be an integer from ${least} to ${most}`)
}

/**
 * Reads a time in ISO 8601, or a date such as `2026-03-01`, which stands for the start of that day in UTC. Midnight in
 * UTC also means a day, because the helper libraries send a date as midnight.
 */
export function timeParameter(
  parameters: FacadeParameters,
  name: string,
  code: TwilioCode = 20001,
): SpanOfTime | undefined {
  const text = filledParameter(parameters, name)
  if (text === undefined) return undefined
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)
  const start = isDate || isTime ? new Date(text) : new Date(Number.NaN)
  // JavaScript reads 31 February as 3 March, and the database does not support the year 0.
  if (!isDay(text.slice(0, 10)) || !(start.getUTCFullYear() > 0))
    throw new TwilioError(400, code, `${name} must be a date such as 2026-03-01 or a time such as 2026-03-01T12:00:00Z`)
  const lengthMs = start.getTime() % DAY_MS === 0 ? DAY_MS : 1000
  return { start, end: new Date(start.getTime() + lengthMs) }
}

const DAY_MS = 86_400_000

function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** The day or the second that a date parameter means. */
export interface SpanOfTime {
  readonly start: Date
  readonly end: Date
}
