import { adviceOfCause, type NetworkCause } from '@smsgw/contract/messages/network-cause'
import type { TimelineEntry, TimelineKind } from '@smsgw/contract/messages/timeline'
import type { Waiting } from '@smsgw/contract/messages/waiting'
import { mayArriveLater } from '@smsgw/sms/fields/status'
import { addedDurationWords, momentWords, untilWords } from '../ui/values/relative-words.ts'
import '../words/later-words.ts'
import { inOnePiece, locale, optionalText, t } from '../words/text.ts'

export type TimelineTone = 'plain' | 'good' | 'warn' | 'bad' | 'aside'

const tones: Readonly<Record<string, TimelineTone>> = {
  delivered: 'good',
  sent: 'good',
  'part-refused': 'bad',
  refused: 'bad',
  failed: 'bad',
  'in-doubt': 'warn',
  held: 'warn',
  waiting: 'warn',
  cancelled: 'warn',
}

export function toneOf({ kind, code, webhook }: TimelineEntry): TimelineTone {
  // A schedule is not a warning.
  if (kind === 'waiting' && code === 'scheduled') return 'plain'
  if (kind !== 'webhook-attempt') return tones[kind] ?? 'plain'
  const status = webhook?.httpStatus
  return status !== undefined && status >= 200 && status < 300 ? 'aside' : 'warn'
}

/** True for a step that has not happened yet, because the message waits for it. */
export function isAhead({ kind }: Pick<TimelineEntry, 'kind'>): boolean {
  return kind === 'waiting' || kind === 'in-doubt'
}

/**
 * Returns the time since the previous step. Returns an empty text for the first step and for steps at the same time.
 */
export function sinceWords(before: string | undefined, at: string): string {
  const ms = before === undefined ? 0 : Date.parse(at) - Date.parse(before)
  return ms < 1 ? '' : addedDurationWords(ms)
}

export function partWords({ index, total }: { readonly index: number; readonly total: number }): string {
  return t('timeline.part', { index, total })
}

/**
 * A step in words. `original` is the English text of the API, if it contains more information than the translated text.
 */
interface StepWords {
  readonly text: string
  readonly original?: string
}

/** Steps that are shown without their English text, because the translation and the values beside it are complete. */
const whole: ReadonlySet<TimelineKind> = new Set([
  'accepted',
  'dispatched',
  'processed',
  'part-submitted',
  'part-accepted',
  'sent',
  'delivered',
  'cancelled',
  'webhook-attempt',
])

/**
 * The API describes steps in English. For other languages, the codes are translated. The English text is shown if a
 * code is missing or contains less information.
 */
export function stepWords({ kind, code, cause, until, text }: TimelineEntry): StepWords {
  const english = inLocalTime(text)
  if (locale().language === 'en') {
    // Replaces the result of a delivery report by plain words, because the terms of the standard are hard to
    // understand.
    const words = kind === 'part-report' ? causeWords(cause) : undefined
    return { text: words === undefined ? english : english.replace(/: .*$/s, `: ${words}`) }
  }
  const name = optionalText(`step.${kind}`)
  if (name === undefined) return { text: '', original: english }
  if (whole.has(kind)) return { text: name }
  const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(text)?.[0]
  if (kind === 'scheduled' && moment !== undefined)
    return { text: t('composer.scheduledFor', { when: momentWords(moment) }) }
  if ((kind === 'waiting' || kind === 'in-doubt') && optionalText(`waiting.${code}`) !== undefined)
    return { text: joined(waitingText({ reason: code as Waiting['reason'], until, message: text }), causeWords(cause)) }
  const why = causeWords(cause) ?? (kind === 'failed' ? optionalText(`failure.${code}`) : undefined)
  if (why === undefined) return { text: name, original: english }
  return { text: `${name}: ${why}`, ...(cause === undefined && { original: english }) }
}

/**
 * The reason of a failure, with advice. In English, the text of the API is shown, because it has more details. Only for
 * delivery reports, plain words are shown instead of the terms of the standard. In other languages, the translation is
 * shown. If the code from the network is unknown, the English text of the API is added.
 */
export function failureText(failure: Failure): string | undefined {
  const { error, errorCode, networkCode, cause } = failure
  const words = errorCode === undefined ? undefined : optionalText(`failure.${errorCode}`)
  const why = causeWords(cause)
  if (networkCode !== undefined && why !== undefined && (errorCode === 'report_failed' || locale().language !== 'en'))
    return joined(
      errorCode !== undefined && namedByCause.has(errorCode) ? undefined : words,
      why,
      adviceAfterCause(failure),
      `(${inOnePiece(networkCode)})`,
    )
  // Some errors are only a code.
  if (locale().language === 'en' && error !== errorCode) return error ?? words
  return networkCode === undefined ? (words ?? error) : joined(words, error && inOnePiece(error))
}

/** Failures that the cause explains completely. */
const namedByCause: ReadonlySet<string> = new Set(['refused', 'report_failed'])

/** The advice for failures that the cause explains. Other failures have their own advice, or none. */
function adviceAfterCause({ errorCode, networkCode, cause }: Failure): string | undefined {
  if (errorCode === 'report_failed')
    return t(isPermanentReport(networkCode) ? 'advice.report_failed_permanently' : 'advice.report_gave_up')
  const advice = errorCode === 'refused' && cause !== undefined ? adviceOfCause(cause) : undefined
  return advice === undefined || advice === 'retried' ? undefined : optionalText(`advice.${advice}`)
}

/** Returns true if a delivery report such as `TP-ST 0x43` means that another message will not arrive either. */
export function isPermanentReport(networkCode: string | undefined): boolean {
  const [, octet] = /^TP-ST 0x([0-9a-f]{2})$/.exec(networkCode ?? '') ?? []
  return octet !== undefined && !mayArriveLater(Number.parseInt(octet, 16))
}

function causeWords(cause: string | undefined): string | undefined {
  return cause === undefined ? undefined : optionalText(`cause.${cause}`)
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(' ')
}

interface Failure {
  readonly error?: string | undefined
  readonly errorCode?: string | undefined
  readonly networkCode?: string | undefined
  readonly cause?: NetworkCause | undefined
}

/**
 * Returns the code that a step shows: a code of the network, such as `CMS 21`. Codes that have words are not shown,
 * because the words are.
 */
export function shownCode({ code }: Pick<TimelineEntry, 'code'>): string | undefined {
  if (code === undefined) return undefined
  const words = optionalText(`failure.${code}`) ?? optionalText(`waiting.${code}`)
  return words === undefined ? code : undefined
}

/** Returns the advice. Advice without a code is shown in English. */
export function adviceWords({ advice, adviceCode }: TimelineEntry): { text: string; isEnglish: boolean } | undefined {
  if (advice === undefined) return undefined
  const words = locale().language === 'en' ? undefined : optionalText(`advice.${adviceCode}`)
  return { text: words ?? advice, isEnglish: words === undefined }
}

/**
 * Replaces UTC times in a text of the API with local times. The text is English, so a time in Arabic is isolated.
 * Otherwise, the browser would mix the words of the time with the words around it.
 */
export function inLocalTime(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (moment) =>
    Number.isNaN(Date.parse(moment)) ? moment : inOnePiece(momentWords(moment)),
  )
}

type WaitEnd = 'latest' | 'continues' | 'nextTry'

const waitEnds: Readonly<Partial<Record<Waiting['reason'], WaitEnd>>> = {
  limit: 'continues',
  work_hours: 'continues',
  retry: 'nextTry',
  modem_busy: 'nextTry',
}

/** Describes why a message is not sent yet. */
export function waitingText({
  reason,
  until,
  message,
}: Omit<Waiting, 'until'> & { until?: string | undefined }): string {
  const why = optionalText(`waiting.${reason}`) ?? inLocalTime(message)
  if (until === undefined) return why
  if (reason === 'scheduled') return t('composer.scheduledFor', { when: momentWords(until) })
  return `${why} ${t(`waitingUntil.${waitEnds[reason] ?? 'latest'}`, { when: untilWords(until) })}`
}
