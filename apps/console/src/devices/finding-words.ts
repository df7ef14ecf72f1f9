import type { FindingsAnswer } from '@smsgw/contract/devices/device'
import { findingValues } from '@smsgw/contract/devices/finding-code'
import '../words/later-words.ts'
import { isolate, optionalText, t } from '../words/text.ts'

export type ShownFinding = FindingsAnswer['findings'][number]

interface FindingWords {
  readonly check: string
  readonly text: string
  readonly advice: string | undefined
  /** True if the words come from the device, because the code of the finding is missing or newer than this console. */
  readonly isEnglish: boolean
}

/** A finding in words. A known code is translated. Otherwise, the English sentences of the agent are shown. */
export function findingWords({ check, text, advice, code, values, simNumber }: ShownFinding): FindingWords {
  const known = code !== undefined && hasValues(code, values) ? codeWords(code, values) : undefined
  if (known === undefined) return { check, text, advice, isEnglish: true }
  const sim = simNumber === undefined ? undefined : t('common.simNumber', { number: simNumber })
  return {
    check: sim === undefined ? known.check : `${sim} · ${known.check}`,
    text: known.text,
    advice: advice === undefined ? undefined : (known.advice ?? advice),
    isEnglish: false,
  }
}

/** The problem of a modem and what to do about it; undefined if the catalogue does not have the code. */
export function modemProblemWords(code: string | undefined): { text: string; advice: string | undefined } | undefined {
  return code !== undefined && hasValues(code, {}) ? codeWords(code, {}) : undefined
}

function codeWords(code: string, values: Values) {
  const [name = ''] = code.split('.')
  const check = optionalText(`findingCheck.${name}`)
  const text = optionalText(`finding.${code}`, values && shown(values))
  if (check === undefined || text === undefined) return undefined
  const advice = optionalText(`findingAdvice.${code}`, values && shown(values)) ?? optionalText(`findingAdvice.${name}`)
  return { check, text, advice }
}

type Values = ShownFinding['values']

/** Returns true if all values of the text are known, because a text can be formatted only with all of its values. */
function hasValues(code: string, values: Values): boolean {
  if (!Object.hasOwn(findingValues, code)) return false
  const names: readonly string[] = findingValues[code as keyof typeof findingValues]
  return names.every((name) => values?.[name] !== undefined)
}

/**
 * Keeps the order of characters in right-to-left text: a minus sign must stay in front of its digits, and paths and
 * commands must stay unchanged.
 */
function shown(values: NonNullable<Values>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' && value < 0 ? isolate(String(value).replace('-', '−')) : value,
    ]),
  ) as Record<string, string | number>
}
