import type { ExchangeLink } from '../dialogue/exchange.ts'
import { isAnswerTo, type Marker, markers } from '../dialogue/markers.ts'
import type { ResponseLine } from '../wire/response-line.ts'

/**
 * Decides when to ask the modem a question, and which question, if the modem has not given the result of a submission.
 * An answer proves that the submission has ended, because a modem executes one command after another.
 *
 * 27.005 §3.5.1 says that `+CMGS` should be abortable, and V.250 §5.6.1 that any character may abort it, so a question
 * could end a submission that a slow network would have answered. A question is therefore asked only if the message has
 * already arrived (its report is there), if the vendor's modems are known to continue sending whatever is written to
 * them, or if the modem sends other output although its result is long overdue.
 */
export interface ProbeTraits {
  /** The questions, asked in turn. None of them uses the SIM. */
  readonly questions: readonly Marker[]
  /** The delay after a status report that matches the message. */
  readonly afterReportMs: number
  /** The delay after any other output. If undefined, other output causes no question. */
  readonly afterNewsMs: number | undefined
  /** Without a report, the shortest time from Ctrl-Z to a question. */
  readonly earliestMs: number
  /** Whether `earliestMs` is shortened for a modem whose previous results came fast (`SubmissionTimes`). */
  readonly learnsEarliest: boolean
  /** How long the modem must be silent before a question. If undefined, silence causes no question. */
  readonly afterSilenceMs: number | undefined
  /** The interval between questions. */
  readonly everyMs: number
}

const questions = markers.filter(({ command }) => command === 'AT+CMEE?' || command === 'AT+CSCS?')

/** For a modem that is known to abort a submission when a character arrives. */
export const probeAfterReport: ProbeTraits = {
  questions,
  afterReportMs: 500,
  afterNewsMs: undefined,
  earliestMs: 0,
  learnsEarliest: false,
  afterSilenceMs: undefined,
  everyMs: 5_000,
}

/** For modems that continue sending a message whatever is written to them. */
export const probeAfterAnySign: ProbeTraits = { ...probeAfterReport, afterNewsMs: 2_500, afterSilenceMs: 20_000 }

/**
 * For modems that may abort a submission. The network has answered or given up after 45 s (timer TR1M of 24.011), and
 * a modem that sends anything after that is alive, so its result was probably lost.
 */
export const probeWhenOverdue: ProbeTraits = {
  ...probeAfterReport,
  afterNewsMs: 2_500,
  earliestMs: 45_000,
  learnsEarliest: true,
}

/** The questions to the modem about one submission. Each is first due, then asked, possibly several times, then answered. */
export class ResultProbe {
  readonly #traits: ProbeTraits
  readonly #link: ExchangeLink
  readonly #asked: Marker[] = []
  #beganAtMs = 0
  #dueAtMs: number | undefined
  #reference: number | undefined
  #heardNews = false
  #answered = false

  constructor(traits: ProbeTraits, link: ExchangeLink) {
    this.#traits = traits
    this.#link = link
  }

  /** All questions that have been written. Their answers, or errors instead, may arrive at any time. */
  get asked(): readonly Marker[] {
    return this.#asked
  }

  /** The first line of an answer was read; its final result is due. */
  get answered(): boolean {
    return this.#answered
  }

  /** The reference of the message according to its report, which shows that the network has the message. */
  get reportedReference(): number | undefined {
    return this.#reference
  }

  get beganAtMs(): number {
    return this.#beganAtMs
  }

  /** PDU and Ctrl-Z are written. */
  begin(): void {
    this.#beganAtMs = this.#link.nowMs()
    if (this.#traits.afterSilenceMs !== undefined) this.askWithin(this.#traits.afterSilenceMs)
  }

  heardReport(reference: number): void {
    this.#reference = reference
    this.askWithin(this.#traits.afterReportMs)
  }

  /** Output before `earliestMs` counts as well: it shows that the modem works. */
  heardNews(): void {
    const { afterNewsMs, earliestMs } = this.#traits
    if (afterNewsMs === undefined) return
    this.#heardNews = true
    this.askWithin(Math.max(afterNewsMs, this.#beganAtMs + earliestMs - this.#link.nowMs()))
  }

  askWithin(ms: number): void {
    const atMs = this.#link.nowMs() + ms
    if (this.#dueAtMs !== undefined && this.#dueAtMs <= atMs) return
    this.#dueAtMs = atMs
    this.#link.remind(ms)
  }

  ask(): void {
    const { questions, everyMs } = this.#traits
    const question = questions[this.#asked.length % questions.length]
    this.#dueAtMs = undefined
    if (question === undefined) return
    this.#asked.push(question)
    this.#link.write(`${question.command}\r`)
    this.#askAgain(everyMs)
  }

  takes(line: ResponseLine): boolean {
    if (!this.mayBeAnswer(line)) return false
    this.#answered = true
    return true
  }

  mayBeAnswer(line: ResponseLine): boolean {
    return this.#asked.some((question) => isAnswerTo(question, line))
  }

  /** A question may have been lost, or refused by a busy modem. */
  #askAgain(everyMs: number): void {
    const { afterSilenceMs } = this.#traits
    if (afterSilenceMs !== undefined && this.#reference === undefined) {
      this.askWithin(Math.max(everyMs, this.#beganAtMs + afterSilenceMs - this.#link.nowMs()))
    } else if (this.#reference !== undefined || this.#heardNews) this.askWithin(everyMs)
  }
}
