import type { ReasonValues } from '@smsgw/contract/fields/problem-reason'
import { type DeliveryProblemCode, deliveryProblems } from '@smsgw/contract/webhooks/delivery-problem'
import { sentence } from '../words/sentence.ts'
import { inOnePiece, optionalText } from '../words/text.ts'

/**
 * Why an attempt failed, a delivery was dropped or a webhook was disabled. The English text of the API is shown if it
 * has no code, or one that this console does not know.
 */
export function attemptErrorWords(text: string, code?: string, values: ReasonValues = {}): string {
  const { lastError, lastErrorCode, ...others } = values
  const known =
    lastError === undefined
      ? values
      : { lastError: attemptErrorWords(String(lastError), wordOf(lastErrorCode), others) }
  const words = hasValues(code, known) ? optionalText(`attemptError.${code}`, known) : undefined
  return words ?? inOnePiece(sentence(text))
}

/** Returns true if all values of the text are known, because a text can be formatted only with all of its values. */
function hasValues(code: string | undefined, values: ReasonValues): boolean {
  const names: readonly string[] | undefined = deliveryProblems[code as DeliveryProblemCode]
  return names?.every((name) => values[name] !== undefined) ?? false
}

function wordOf(code: string | number | undefined): string | undefined {
  return code === undefined ? undefined : String(code)
}
