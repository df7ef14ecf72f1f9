import { adviceOfCause, type NetworkCause } from '@smsgw/contract/messages/network-cause'
import type { TimelineEntry, TimelineKind } from '@smsgw/contract/messages/timeline'
import type { Waiting } from '@smsgw/contract/messages/waiting'
import { mayArriveLater } from '@smsgw/sms/fields/status'
import { addedDurationWords, momentWords, untilWords } from '../ui/values/relative-words.ts'
import '../words/later-words.ts'
import { sentence } from '../words/sentence.ts'
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
  cancelled: 'warn',
}

/** The reasons that end only when somebody does something. */
const needsSomebody: ReadonlySet<string> = new Set<Waiting['reason']>([
  'approval',
  'device_offline',
  'no_network',
  'roaming',
  'modem_missing',
  'sim_locked',
  'clock_unknown',
  'relay_unreachable',
])

/** Highlights a wait only if somebody should do something. All other waits are normal. */
export function waitingTone(reason: string | undefined): 'plain' | 'warn' {
  return reason !== undefined && needsSomebody.has(reason) ? 'warn' : 'plain'
}

export function toneOf({ kind, code, webhook }: TimelineEntry): TimelineTone {
  if (kind === 'waiting') return waitingTone(code)
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
 * @param failure the failure of the recipient, which the page describes elsewhere, so that the step only names it
 */
export function stepWords(entry: TimelineEntry, failure?: Failure): StepWords {
  const { kind, code, cause, until, text } = entry
  const english = locale().language === 'en' ? errorText(text) : apiText(text)
  const name = optionalText(`step.${kind}`)
  if (name !== undefined && failure !== undefined && isOfFailure(entry, failure)) return { text: name }
  if ((kind === 'waiting' || kind === 'in-doubt') && optionalText(`waiting.${code}`) !== undefined)
    return { text: joined(waitingText({ reason: code as Waiting['reason'], until, message: text }), causeWords(cause)) }
  if (locale().language === 'en') {
    // Replaces the result of a delivery report by plain words, because the terms of the standard are hard to
    // understand.
    const words = kind === 'part-report' ? resultWords(cause) : undefined
    return { text: words === undefined ? english : english.replace(/( for the message)?: .*$/s, `: ${words}`) }
  }
  if (name === undefined) return { text: '', original: english }
  if (whole.has(kind)) return { text: name }
  const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(text)?.[0]
  if (kind === 'scheduled' && moment !== undefined)
    return { text: t('composer.scheduledFor', { when: momentWords(moment) }) }
  const why = resultWords(cause) ?? (kind === 'failed' ? optionalText(`failure.${code}`) : undefined)
  if (why === undefined) return { text: name, original: english }
  return { text: `${name}: ${why}`, ...(cause === undefined && { original: english }) }
}

/** True for the end of a failed message, and for the refusal or the delivery report that caused it. */
function isOfFailure({ kind, code }: TimelineEntry, { networkCode }: Failure): boolean {
  if (kind === 'failed') return true
  return (kind === 'part-refused' || kind === 'part-report') && code !== undefined && code === networkCode
}

/**
 * A failure in words, what to do about it, and the code of the network. Each of them is shown once. `original` is the
 * English text of the API, if it contains details without a translation.
 */
export interface FailureWords {
  readonly text: string
  readonly original?: string
  readonly advice: string | undefined
  readonly code: string | undefined
}

/**
 * Returns the words of a failure. English pages show the text of the API if it contains details without a translation.
 */
export function failureWords(failure: Failure): FailureWords | undefined {
  const { error, errorCode, networkCode, cause } = failure
  const words = errorCode === undefined ? undefined : optionalText(`failure.${errorCode}`)
  const why = causeWords(cause)
  const said = { advice: failureAdvice(failure), code: networkCode }
  if (why !== undefined)
    return {
      ...said,
      text: joined(partialWords(error), errorCode && namedByCause.has(errorCode) ? undefined : words, why),
    }
  const details = error !== undefined && hasDetails(failure) ? withoutAdvice(error) : undefined
  const english = details ?? (words === undefined ? error : undefined)
  if (english !== undefined && (words === undefined || locale().language === 'en')) {
    const { advice } = said
    const text = sentence(errorText(english))
    return { text: advice === undefined ? text : ended(text), advice, code: undefined }
  }
  if (words === undefined) return undefined
  const text = joined(partialWords(error), words)
  if (details === undefined) return { ...said, text }
  const original = apiText(withoutPartial(details))
  const isCodeShown = networkCode !== undefined && details.includes(networkCode)
  return { ...said, text, original: sentence(original), code: isCodeShown ? undefined : networkCode }
}

/** Failures that the cause explains completely. */
const namedByCause: ReadonlySet<string> = new Set(['refused', 'report_failed'])

/** Failures whose text contains details that the code does not have. */
const detailed: ReadonlySet<string> = new Set([
  'refused',
  'gave_up',
  'unwritable',
  'phone_failed',
  'unsupported',
  'undecryptable',
  'no_such_sim',
])

/** Agents of earlier releases put the advice of the code `unsupported` into the text as well. */
function withoutAdvice(error: string): string {
  return error.replace(/ \(update the agent\)/, '')
}

/** Returns true if the English text of a failure contains more than its words. Some texts are only a code. */
function hasDetails({ error, errorCode, cause }: Failure): boolean {
  if (cause !== undefined || errorCode === undefined || !detailed.has(errorCode)) return false
  return error === undefined || withoutPartial(error) !== errorCode
}

/** Agents begin the error of a message that was sent in part with `partial 1/3: `. */
const partial = /^partial (\d+)\/(\d+): /

function partialWords(error: string | undefined): string | undefined {
  const [, sent, total] = partial.exec(error ?? '') ?? []
  return sent === undefined ? undefined : t('failure.partial', { sent: Number(sent), total: Number(total) })
}

function withoutPartial(error: string): string {
  return error.replace(partial, '')
}

/** A text of the API in which the number of sent parts is in words. */
function errorText(error: string): string {
  const sent = partialWords(error)
  return sent === undefined ? apiText(error) : `${sent} ${sentence(apiText(withoutPartial(error)))}`
}

/** Adds a full stop, so that advice can follow. Some texts end with a code, such as `It failed. (CMS 1)`. */
function ended(text: string): string {
  return /[.!?…](\s\([^()]*\))?$/.test(text) ? text : `${text}.`
}

function failureAdvice({ errorCode, networkCode, cause }: Failure): string | undefined {
  if (errorCode === 'report_failed')
    return t(isPermanentReport(networkCode) ? 'advice.report_failed_permanently' : 'advice.report_gave_up')
  if (errorCode !== 'refused') return optionalText(`advice.${errorCode}`)
  const advice = cause === undefined ? undefined : adviceOfCause(cause)
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

/** The result of a delivery report, after its name. */
function resultWords(cause: string | undefined): string | undefined {
  return cause === 'report_received' ? t('timeline.received') : causeWords(cause)
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(' ')
}

export interface Failure {
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

/** Returns the advice, unless the page shows it with the failure. Advice without a code is shown in English. */
export function adviceWords(
  entry: TimelineEntry,
  failure?: Failure,
): { text: string; isEnglish: boolean; tone: 'plain' | 'warn' } | undefined {
  const { advice, adviceCode } = entry
  if (advice === undefined || (failure !== undefined && isOfFailure(entry, failure))) return undefined
  const words = optionalText(`advice.${adviceCode}`)
  return {
    text: words ?? advice,
    isEnglish: words === undefined,
    tone: withoutAction.has(adviceCode ?? '') ? 'plain' : 'warn',
  }
}

/** Advice that only says that nobody has to do anything. */
const withoutAction: ReadonlySet<string> = new Set([
  'await_evidence',
  'counts_as_sent',
  'outcome_unknown',
  'report_pending',
  'retried',
  'storage_freed',
])

/** Keeps codes such as `CMS 21` and `TP-ST 0x43` together at the end of a line. */
function apiText(text: string): string {
  return inLocalTime(text).replace(/\b(CM[ES] \d+|HILINK \d+|TP-ST 0x[0-9a-f]{2})\b/g, (code) =>
    code.replace(' ', '\u00a0').replace('-', '\u2011'),
  )
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

type WaitEnd = 'latest' | 'finalStatus' | 'continues' | 'nextTry' | 'expires'

const waitEnds: Readonly<Partial<Record<Waiting['reason'], WaitEnd>>> = {
  approval: 'expires',
  limit: 'continues',
  work_hours: 'continues',
  retry: 'nextTry',
  modem_busy: 'nextTry',
  outcome_unknown: 'finalStatus',
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
