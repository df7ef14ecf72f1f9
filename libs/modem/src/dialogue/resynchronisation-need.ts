import { SubmissionExchange } from '../send/submission-exchange.ts'
import type { PortTraffic } from '../wire/port-traffic.ts'
import { CommandExchange } from './command-exchange.ts'
import type { Exchange, ExchangeLink } from './exchange.ts'
import { type Marker, markers, rememberUnanswered } from './markers.ts'
import { Resynchronisation, type ResynchronisationEnd } from './resynchronisation.ts'

/**
 * Records whether a resynchronisation is due before the queue continues, which old answers may still arrive, and which
 * listeners wait for the result of the resynchronisation.
 */
export class ResynchronisationNeed {
  readonly #traffic: PortTraffic
  readonly #attempts: number
  readonly #timeoutMs: number
  /** The unanswered questions that were asked after both ends were last in step. */
  readonly #unanswered: Marker[] = []
  readonly #silent = new Set<Marker>()
  readonly #waiting: ((end: GettingInStepEnd) => void)[] = []
  #pressing = false
  #begun = 0

  constructor(traffic: PortTraffic, attempts = defaultAttempts, timeoutMs = defaultTimeoutMs) {
    this.#traffic = traffic
    this.#attempts = attempts
    this.#timeoutMs = timeoutMs
  }

  get pressing(): boolean {
    return this.#pressing
  }

  /** The number of resynchronisations so far. */
  get begun(): number {
    return this.#begun
  }

  press(): void {
    this.#pressing = true
  }

  /** Must be called when the exchange has ended and its answer may still arrive. */
  pressAfter(exchange: Exchange | undefined): void {
    this.#pressing = true
    if (exchange instanceof CommandExchange) rememberMarkers(this.#unanswered, exchange)
    if (exchange instanceof SubmissionExchange) rememberUnanswered(this.#unanswered, ...exchange.asked)
  }

  /** Calls back when the next resynchronisation has ended or the port is lost. */
  onEnd(listener: (end: GettingInStepEnd) => void): void {
    this.#waiting.push(listener)
  }

  begin(link: ExchangeLink): Resynchronisation {
    this.#pressing = false
    this.#begun += 1
    const options = {
      attempts: this.#attempts,
      timeoutMs: this.#timeoutMs,
      unanswered: this.#unanswered,
      silent: this.#silent,
    }
    const receivedBefore = this.#traffic.bytesReceived
    return new Resynchronisation(link, options, (end) =>
      this.#tell({ ...end, heard: this.#traffic.bytesReceived > receivedBefore }),
    )
  }

  giveUp(): void {
    this.#tell({ inStep: false, attempts: 0, heard: false, atRefused: false, okToAll: false })
  }

  #tell(end: GettingInStepEnd): void {
    for (const listener of this.#waiting.splice(0)) listener(end)
  }
}

interface GettingInStepEnd extends ResynchronisationEnd {
  /** True if at least one byte arrived. */
  readonly heard: boolean
}

const defaultAttempts = 6
const defaultTimeoutMs = 2_500

/**
 * The answer to a timed-out command may equal the answer to a marker. For example, `ATI` prints `+GCAP` on some modems.
 */
function rememberMarkers(unanswered: Marker[], exchange: CommandExchange): void {
  rememberUnanswered(unanswered, ...markers.filter((marker) => exchange.mayAnswer(marker.prefix)))
}
