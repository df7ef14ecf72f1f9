import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import type { Clock } from '../clock.ts'
import { isRefusal } from '../dialogue/errors/command-error.ts'
import { BeforePdu } from '../send/before-pdu.ts'
import type { OutgoingText, SubmitOptions, SubmitOutcome, Submitted } from '../send/submit.ts'
import { TaskQueue } from '../task-queue.ts'
import { hilinkError } from './hilink-errors.ts'
import { messagesIn } from './stick-message.ts'
import type { WebAnswer, WebSession } from './web-session.ts'
import { childText } from './xml.ts'

/**
 * Sends texts, one after the other. The stick encodes the PDUs and reports the result without a reference.
 *
 * Asks the caller whether the message may be sent (`beforePdu`), posts `sms/send-sms`, and then reads `sms/send-status`
 * until the stick has finished. If the reply to the POST is lost, the outcome is unknown.
 */
export class StickSending {
  readonly #options: StickSendingOptions
  readonly #tasks = new TaskQueue()
  #waiting = 0
  #isOpen = false

  constructor(options: StickSendingOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting
  }

  open(): void {
    this.#isOpen = true
  }

  /** Ends all waiting messages, and all later messages, without sending them. */
  close(): void {
    this.#isOpen = false
  }

  submit(text: OutgoingText, options: SubmitOptions): Promise<Submitted> {
    this.#waiting += 1
    return this.#tasks.run(async () => {
      this.#waiting -= 1
      const outcome = await this.#send(text, options)
      this.#options.onOutcome(options.id, outcome)
      const submitted = await withAfterResult(outcome, options)
      const isFinished =
        outcome.kind === 'accepted' || (outcome.kind === 'unknown' && outcome.error === failedWithoutReason)
      if (isFinished) await this.#removeCopy(text)
      return submitted
    })
  }

  async #send(text: OutgoingText, { beforePdu }: SubmitOptions): Promise<SubmitOutcome> {
    const { session, clock, localDate } = this.#options
    if (!this.#isOpen) return { kind: 'not-sent', why: 'not-ready' }
    // Reads the status before the commit, because the message should be sent directly after the commit. This request
    // also opens a session if no session is open.
    const information = await session.get('/api/device/information')
    if (information.kind !== 'value') return { kind: 'not-sent', why: 'out-of-step' }
    if (!this.#options.isSameStick(information)) return { kind: 'not-sent', why: 'restarted' }
    const decision = await new BeforePdu(beforePdu).ask()
    if (decision !== 'go') {
      return { kind: 'not-sent', why: decision === 'abort' ? 'before-pdu-aborted' : 'before-pdu-failed' }
    }
    if (!this.#isOpen) return { kind: 'not-sent', why: 'not-ready' }
    const { refusals } = session
    const answer = await session.post(
      '/api/sms/send-sms',
      [
        ['Index', -1],
        ['Phones', [['Phone', text.destination]]],
        ['Sca', ''],
        ['Content', text.text],
        ['Length', text.text.length],
        ['Reserved', septetsFromText(text.text) === undefined ? ucs2 : gsm7],
        ['Date', localDate()],
      ],
      {
        timeoutMs: sendTimeoutMs,
        isStillValid: async (get) => this.#options.isSameStick(await get('/api/device/information')),
      },
    )
    if (answer.kind === 'value') return this.#awaitResult(text, session.refusals, clock.nowMs() + resultLimitMs)
    return outcomeOf(answer, session.refusals === refusals)
  }

  async #awaitResult(text: OutgoingText, refusals: number, untilMs: number): Promise<SubmitOutcome> {
    const { session, clock } = this.#options
    let failures = 0
    for (;;) {
      const answer = await session.get('/api/sms/send-status')
      // The status describes the last message since the stick started, so after a restart the outcome is unknown.
      if (session.refusals !== refusals) return { kind: 'unknown', why: 'restarted', error: undefined }
      if (answer.kind === 'value') {
        const result = resultIn(answer, text.destination)
        if (result !== 'pending') return result
        failures = 0
      } else if (answer.kind === 'refused' && answer.error.class === 'unsupported') {
        // Old firmware answers OK only when the message was sent.
        return accepted
      } else if (++failures >= mostFailures) return { kind: 'unknown', why: 'answer-lost', error: undefined }
      if (clock.nowMs() >= untilMs) return { kind: 'unknown', why: 'silence', error: undefined }
      await new Promise<void>((resolve) => void clock.after(resultPollMs, resolve))
    }
  }

  /** Deletes the copy that the stick keeps of each message, sent or not, because received messages need the memory. */
  async #removeCopy({ text, destination }: OutgoingText): Promise<void> {
    const { session } = this.#options
    const answer = await session.post('/api/sms/sms-list', [
      ['PageIndex', 1],
      ['ReadCount', 20],
      ['BoxType', outboxType],
      ['SortType', 0],
      ['Ascending', 0],
      ['UnreadPreferred', 0],
    ])
    if (answer.kind !== 'value') return
    for (const { index, phone, content } of messagesIn(answer.value)) {
      if (phone === destination && content === text) await session.post('/api/sms/delete-sms', [['Index', index]])
    }
  }
}

export interface StickSendingOptions {
  readonly session: WebSession
  readonly clock: Clock
  /** The local time that the stick shows with the message: `2026-03-01 15:46:11`. */
  readonly localDate: () => string
  /** Returns true if this reply to `device/information` comes from the same stick with the same SIM. */
  readonly isSameStick: (information: WebAnswer) => boolean
  readonly onOutcome: (id: string, outcome: SubmitOutcome) => void
}

async function withAfterResult(outcome: SubmitOutcome, { afterResult }: SubmitOptions): Promise<Submitted> {
  try {
    await afterResult?.(outcome)
    return outcome
  } catch (error) {
    return { ...outcome, afterResultFailure: { error } }
  }
}

function outcomeOf(answer: Exclude<WebAnswer, { kind: 'value' }>, isSameSession: boolean): SubmitOutcome {
  switch (answer.kind) {
    case 'refused':
      if (isRefusal(answer.error)) return { kind: 'refused', error: answer.error, pduWritten: true }
      return { kind: 'unknown', why: 'ambiguous-code', error: answer.error }
    case 'not-sent':
      return { kind: 'not-sent', why: isSameSession ? 'port-lost' : 'restarted' }
    case 'no-answer':
      return { kind: 'unknown', why: 'answer-lost', error: undefined }
  }
}

function resultIn({ value }: WebAnswer & { kind: 'value' }, destination: string): SubmitOutcome | 'pending' {
  const names = (field: string) => (childText(value, field) ?? '').split(/[,;\s]+/).filter((each) => each !== '')
  if (names('FailPhone').includes(destination)) {
    return { kind: 'unknown', why: 'ambiguous-code', error: failedWithoutReason }
  }
  return names('Phone').length > 0 ? 'pending' : accepted
}

const accepted: SubmitOutcome = { kind: 'accepted', messageReference: undefined, detail: undefined, duplicate: false }

/** The stick also reports this failure if the network accepted the message and the answer was lost. */
const failedWithoutReason = {
  ...hilinkError(-1, undefined),
  code: undefined,
  text: 'FailPhone',
  words: 'The stick reports that sending failed, but gives no reason.',
  advice: 'Check the credit of the SIM and the coverage. The message may have been sent.',
}

const ucs2 = 0
const gsm7 = 1
const outboxType = 2
const sendTimeoutMs = 60_000
const resultLimitMs = 120_000
const resultPollMs = 1_000
const mostFailures = 10
