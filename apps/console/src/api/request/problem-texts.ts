import { fieldReasons, type ReasonValues, requestReasons } from '@smsgw/contract/fields/problem-reason'
import { sentence } from '../../words/sentence.ts'
import { locale, optionalText, type TextKey, t } from '../../words/text.ts'

export interface FieldProblem {
  readonly path: string
  readonly message: string
  /** Absent if the relay is older than the console. */
  readonly reason?: string | undefined
  readonly values?: ReasonValues | undefined
}

/** The problem of a member as a sentence: “hello” isn’t a valid phone number. */
export function problemText({ path, message, reason = '', values = {} }: FieldProblem): string {
  const field = fieldName(path)
  const words = hasValues(fieldReasons, reason, values)
    ? optionalText(`fieldProblem.${reason}`, { ...values, field })
    : undefined
  // The English message is shown if the problem has no code, or one that the catalogue does not have yet.
  return words ?? t('problem.invalid', { field, message })
}

/** Returns the name of the field that shows the member, for example "To" for `phoneNumbers[0]`. */
function fieldName(path: string): string {
  const member =
    path
      .replace(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ?? path
  return optionalText(`field.${member}`) ?? optionalText(`setting.${path}`) ?? path
}

/** Returns true if all values of the text are known, because a text can be formatted only with all of its values. */
function hasValues(
  reasons: Readonly<Record<string, readonly string[]>>,
  reason: string,
  values: ReasonValues,
): boolean {
  return (reasons[reason] ?? []).every((name) => values[name] !== undefined)
}

interface RequestProblem {
  readonly status: number
  readonly message: string
  readonly reason?: string | undefined
  readonly values?: ReasonValues | undefined
}

/**
 * The problem of a whole request. Without a code, English pages show the message of the API. Pages in other languages
 * then say what the status means and show the message as a detail.
 */
export function requestProblemText({ status, message, reason = '', values = {} }: RequestProblem): {
  readonly text: string
  readonly detail?: string
} {
  // The relay does not always know who decided.
  const key = reason === 'approval_decided' && values['by'] === '' ? 'approval_decided_by_unknown' : reason
  const words = hasValues(requestReasons, reason, values) ? optionalText(`requestProblem.${key}`, values) : undefined
  if (words !== undefined) return { text: words }
  if (locale().language === 'en') return { text: sentence(message) }
  return { text: t(textOfStatus(status)), detail: message }
}

function textOfStatus(status: number): TextKey {
  if (status === 404) return 'problem.status.notFound'
  if (status === 429) return 'problem.status.tooMany'
  if (status === 504) return 'problem.status.silent'
  if (status === 502 || status === 503) return 'problem.status.unavailable'
  return status >= 500 ? 'problem.status.internal' : 'problem.status.refused'
}
