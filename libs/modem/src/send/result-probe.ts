import type { ExchangeLink } from '../dialogue/exchange.ts'
import { isAnswerTo, type Marker, markers } from '../dialogue/markers.ts'
import type { ResponseLine } from '../wire/response-line.ts'

/**
 * If the result of a submission is missing, decides whether to ask the modem a question, which question, and when. An
 * answer proves that the submission has ended, because a modem executes one command after another.
 *
 * According to 27.005 §3.5.1, `+CMGS` should be abortable, and according to V.250 §5.6.1, any character may abort a
 * command. So a question could end a submission that a slow network would have answered. Therefore a question is asked
 * only in three cases: a report shows that the message has arrived; modems of this vendor continue to send after any
 * input; or the modem sends other output although its result is long overdue.
 */
export interface ProbeTraits {
  /** The questions, asked in turn. None of them uses the SIM. */
  readonly questions: readonly Marker[]
  /** The delay after a status report that matches the message. */
  readonly afterReportMs: number
  /** The delay after any other output. If undefined, other output causes no question. */
  readonly afterOutputMs: number | undefined
  /** Without a report, the shortest time from Ctrl-Z to a question. */
  readonly earliestMs: number
  /**
   * For a modem that has sent no other output on its first port, but answers on its second port: the shortest time from
   * Ctrl-Z to a question. If undefined, an answer on the second port causes no question.
   */
  readonly overdueMs: number | undefined
  /** True if `earliestMs` is shortened for a modem whose previous results were fast (`SubmissionTimes`). */
  readonly learnsEarliest: boolean
  /** How long the modem must be silent before a question. If undefined, silence causes no question. */
  readonly afterSilenceMs: number | undefined
  /** The interval between questions. */
  readonly everyMs: number
}

const questions = markers.filter(({ command }) => command === 'AT+CMEE?' || command === 'AT+CSCS?')

/** For modems that abort a submission when a character arrives. */
export const probeAfterReport: ProbeTraits = {
  questions,
  afterReportMs: 500,
  afterOutputMs: undefined,
  earliestMs: 0,
  overdueMs: undefined,
  learnsEarliest: false,
  afterSilenceMs: undefined,
  everyMs: 5_000,
}

/** For modems that continue to send a message after any input. */
export const probeAfterAnySign: ProbeTraits = {
  ...probeAfterReport,
  afterOutputMs: 2_500,
  overdueMs: 4_000,
  afterSilenceMs: 20_000,
}

/**
 * For modems that may abort a submission. After 45 s (timer TR1M of 24.011), the network has answered or given up. If
 * the modem has sent other output but no result by then, the result was probably lost.
 */
export const probeWhenOverdue: ProbeTraits = {
  ...probeAfterReport,
  afterOutputMs: 2_500,
  earliestMs: 45_000,
  overdueMs: 45_000,
  learnsEarliest: true,
}

/**
 * The questions to the modem about one submission. States of each question: due, asked (possibly several times),
 * answered.
 */
export class ResultProbe {
  readonly #traits: ProbeTraits
  readonly #link: ExchangeLink
  readonly #asked: Marker[] = []
  #beganAtMs = 0
  #dueAtMs: number | undefined
  #reference: number | undefined
  #heardOutput = false
  #answered = false

  constructor(traits: ProbeTraits, link: ExchangeLink) {
    this.#traits = traits
    this.#link = link
  }

  /** All questions that have been written. An answer or an error for each question may arrive at any time. */
  get asked(): readonly Marker[] {
    return this.#asked
  }

  /** True if the first line of an answer was read and its final result is expected. */
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

  /** Must be called when PDU and Ctrl-Z are written. */
  begin(): void {
    this.#beganAtMs = this.#link.nowMs()
    if (this.#traits.afterSilenceMs !== undefined) this.askWithin(this.#traits.afterSilenceMs)
  }

  heardReport(reference: number): void {
    this.#reference = reference
    this.askWithin(this.#traits.afterReportMs)
  }

  /**
   * Must be called when the modem has sent other output. Output before `earliestMs` counts too, because it shows that
   * the modem works.
   */
  heardOutput(): void {
    const { afterOutputMs, earliestMs } = this.#traits
    if (afterOutputMs === undefined) return
    this.#heardOutput = true
    this.askWithin(Math.max(afterOutputMs, this.#beganAtMs + earliestMs - this.#link.nowMs()))
  }

  /**
   * Must be called when the modem has answered on its second port. The driver asks its question a moment later, even if
   * the result is overdue, because a modem that has hung may send the result just after this answer.
   */
  heardElsewhere(): void {
    const { overdueMs } = this.#traits
    if (overdueMs === undefined) return
    this.#heardOutput = true
    this.askWithin(Math.max(afterElsewhereMs, this.#beganAtMs + overdueMs - this.#link.nowMs()))
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

  /** Repeats a question that may have been lost, or that a busy modem may have refused. */
  #askAgain(everyMs: number): void {
    const { afterSilenceMs } = this.#traits
    if (afterSilenceMs !== undefined && this.#reference === undefined) {
      this.askWithin(Math.max(everyMs, this.#beganAtMs + afterSilenceMs - this.#link.nowMs()))
    } else if (this.#reference !== undefined || this.#heardOutput) this.askWithin(everyMs)
  }
}

const afterElsewhereMs = 500
