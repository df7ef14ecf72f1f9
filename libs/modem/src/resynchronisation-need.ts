import { CommandExchange } from './command-exchange.ts'
import type { Exchange, ExchangeLink } from './exchange.ts'
import { type Marker, markers, rememberUnanswered } from './markers.ts'
import type { PortTraffic } from './port-traffic.ts'
import { Resynchronisation, type ResynchronisationEnd } from './resynchronisation.ts'

/**
 * Whether both ends have to get in step before anything of the queue is written, what of old answers may still come,
 * and who waits to hear how it went.
 */
export class ResynchronisationNeed {
  readonly #traffic: PortTraffic
  readonly #attempts: number
  readonly #timeoutMs: number
  /** Questions without an answer since both ends were last in step. */
  readonly #unanswered: Marker[] = []
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

  /** How often it began. */
  get begun(): number {
    return this.#begun
  }

  press(): void {
    this.#pressing = true
  }

  /** The exchange ended, and something of it may still come. */
  pressAfter(exchange: Exchange | undefined): void {
    this.#pressing = true
    if (exchange instanceof CommandExchange) rememberMarkers(this.#unanswered, exchange)
  }

  /** Calls back when getting in step ended next, or was given up. */
  onEnd(listener: (end: GettingInStepEnd) => void): void {
    this.#waiting.push(listener)
  }

  begin(link: ExchangeLink): Resynchronisation {
    this.#pressing = false
    this.#begun += 1
    const options = { attempts: this.#attempts, timeoutMs: this.#timeoutMs, unanswered: this.#unanswered }
    const receivedBefore = this.#traffic.bytesReceived
    return new Resynchronisation(link, options, (end) =>
      this.#tell({ ...end, heard: this.#traffic.bytesReceived > receivedBefore }),
    )
  }

  giveUp(): void {
    this.#tell({ inStep: false, attempts: 0, heard: false })
  }

  #tell(end: GettingInStepEnd): void {
    for (const listener of this.#waiting.splice(0)) listener(end)
  }
}

interface GettingInStepEnd extends ResynchronisationEnd {
  /** A byte came at least. */
  readonly heard: boolean
}

const defaultAttempts = 6
const defaultTimeoutMs = 2_500

/** A command that was given up may still answer what a marker asks. ATI prints `+GCAP` on some modems. */
function rememberMarkers(unanswered: Marker[], exchange: CommandExchange): void {
  rememberUnanswered(unanswered, ...markers.filter((marker) => exchange.mayAnswer(marker.prefix)))
}
