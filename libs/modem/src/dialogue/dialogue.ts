// Inbound path, step 1: recognises the line +CMTI between answers. Next: receive.ts.

import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { BeforePdu } from '../send/before-pdu.ts'
import { Doubt } from '../send/doubt.ts'
import type { Submission, SubmissionOutcome } from '../send/submission.ts'
import { SubmissionExchange } from '../send/submission-exchange.ts'
import type { BytePort } from '../wire/byte-port.ts'
import { LineAssembler } from '../wire/line-assembler.ts'
import { PortTraffic } from '../wire/port-traffic.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import { Tokenizer } from '../wire/tokenizer.ts'
import type { ByteTrace } from '../wire/trace.ts'
import { maskLine } from '../wire/trace-masking.ts'
import { genericForms, type Unsolicited, type UnsolicitedForm, UnsolicitedTable } from '../wire/unsolicited.ts'
import { type AtCommand, type AtOutcome, isWritable, type Sensitivity } from './command.ts'
import { CommandExchange } from './command-exchange.ts'
import { Deadline, graceMs, HeldLines } from './deadline.ts'
import type { DialogueState, DialogueTelemetry } from './dialogue-telemetry.ts'
import type { Exchange, ExchangeLink } from './exchange.ts'
import { ExchangeQueue } from './exchange-queue.ts'
import { type LineEvent, LineRouting } from './line-routing.ts'
import { Resynchronisation, type ResynchroniseOutcome } from './resynchronisation.ts'
import { ResynchronisationNeed } from './resynchronisation-need.ts'

/**
 * Talks to one modem over one port: one exchange is in flight, and all others are queued. States:
 *
 * - `new`: nothing has been written. The first command triggers a resynchronisation.
 * - `in-step`: the next answer belongs to the next command.
 * - `resynchronising`: an exchange ended without its answer. The queue waits as long as an old answer may still arrive.
 * Next: `in-step` or `out-of-step`.
 * - `out-of-step`: resynchronisation failed. All queued and new commands end unsent until `resynchronise` succeeds.
 * - `closed`
 *
 * A chunk is read completely before the next write, because bytes that have already arrived cannot answer a later
 * command.
 */
export class Dialogue {
  readonly #clock: Clock
  readonly #onEvent: (event: DialogueEvent) => void
  readonly #traffic: PortTraffic
  readonly #table: UnsolicitedTable
  readonly #assembler: LineAssembler
  readonly #tokenizer: Tokenizer
  readonly #deadline: Deadline
  readonly #reminder: Deadline
  readonly #held: HeldLines
  readonly #routing: LineRouting
  readonly #resynchronisation: ResynchronisationNeed
  readonly #queue: ExchangeQueue
  readonly #doubt = new Doubt()
  readonly #events: DialogueEvent[] = []
  /** Chunks that arrived during the read of another chunk, because a port may answer within `write`. */
  readonly #backlog: Uint8Array[] = []
  #running = false
  #state: DialogueState = 'new'
  #current: Exchange | undefined
  #inGap = false
  #busySinceMs: number | undefined
  #waitedForText = false
  #lostReason: string | undefined
  #timeouts = 0

  constructor(options: DialogueOptions) {
    const { port, clock, trace, resynchroniseAttempts, resynchroniseTimeoutMs } = options
    const run = (action: () => void) => this.#run(action)
    const inFlight = () => this.#current
    this.#clock = clock
    this.#onEvent = options.onEvent
    this.#table = new UnsolicitedTable(genericForms)
    this.#table.learn(options.unsolicited ?? [])
    this.#traffic = new PortTraffic(port, trace)
    this.#queue = new ExchangeQueue({ run, inFlight })
    this.#resynchronisation = new ResynchronisationNeed(this.#traffic, resynchroniseAttempts, resynchroniseTimeoutMs)
    this.#routing = new LineRouting(this.#table, this.#doubt, inFlight, (news) => void this.#events.push(news))
    this.#assembler = new LineAssembler(this.#table, this.#routing, () => clock.nowMs())
    this.#tokenizer = new Tokenizer(options.maximumLineLength)
    const isFlowing = (nowMs: number) => this.#tokenizer.midLine && nowMs - (this.#traffic.lastByteAtMs ?? 0) < graceMs
    this.#deadline = new Deadline(clock, isFlowing, () => this.#run(() => this.#expire()))
    this.#reminder = new Deadline(clock, isFlowing, () => this.#run(() => this.#current?.reminded?.()))
    this.#held = new HeldLines(
      clock,
      () => {
        const { heldUntilMs } = this.#assembler
        // Waits longer if a line is arriving, because it may be the next line of the text.
        const flowsUntilMs = this.#tokenizer.midLine ? (this.#traffic.lastByteAtMs ?? 0) + graceMs : 0
        return heldUntilMs && Math.max(heldUntilMs, flowsUntilMs)
      },
      () => this.#run(() => this.#assembler.release(this.#assembled)),
    )
    // Delays events until the caller is fully constructed, because a port that is already lost calls back immediately.
    this.#running = true
    port.onBytes((bytes) => this.#receive(bytes))
    port.onClosed((reason) => this.close(reason))
    this.#running = false
    if (this.#lostReason !== undefined) clock.after(0, () => this.#run(() => undefined))
  }

  /** Queues the command (FIFO). Never rejects, even if the modem does not answer. */
  execute(command: AtCommand, cancellation?: Cancellation): Promise<AtOutcome> {
    if (!isWritable(command.text)) return Promise.resolve({ kind: 'not-sent', why: 'unwritable' })
    return new Promise((resolve) => {
      this.#queue.add(cancellation, resolve, (settle) => new CommandExchange(command, this.#link, settle))
    })
  }

  /** Queues a submission, which is sent in two steps. After the PDU and Ctrl-Z a cancellation has no effect. */
  submit(submission: Submission, cancellation?: Cancellation): Promise<SubmissionOutcome> {
    if (!isWritable(submission.command + submission.pdu)) {
      return Promise.resolve({ kind: 'not-sent', why: 'unwritable' })
    }
    const beforePdu = new BeforePdu(submission.beforePdu)
    return new Promise((resolve) => {
      this.#queue.add<SubmissionOutcome>(
        cancellation,
        (outcome) => beforePdu.withdraw(this.#clock, () => resolve(outcome)),
        (settle) => new SubmissionExchange(submission, this.#link, this.#doubt, beforePdu, settle),
      )
    })
  }

  /**
   * Resynchronises with the modem, after the exchange in flight and before the queue. Runs automatically before the
   * first command and after each exchange without an answer; may also be called after a failure.
   */
  resynchronise(): Promise<ResynchroniseOutcome> {
    return new Promise((resolve) => {
      if (this.#state === 'closed') {
        resolve({ kind: 'closed' })
        return
      }
      this.#resynchronisation.onEnd(({ inStep, attempts, heard, atRefused, okToAll }) => {
        if (inStep) resolve({ kind: 'in-step', attempts, atRefused })
        else if (this.#lostReason === undefined) resolve({ kind: 'out-of-step', attempts, heard, okToAll })
        else resolve({ kind: 'closed' })
      })
      this.#run(() => {
        if (this.#state !== 'resynchronising') this.#resynchronisation.press()
      })
    })
  }

  /** Adds the unsolicited codes of a profile. */
  learn(forms: readonly UnsolicitedForm[]): void {
    this.#table.learn(forms)
  }

  /**
   * Writes data outside an exchange: data that is not a command, or data for a modem that does not answer. One
   * character per byte.
   */
  writeRaw(text: string): void {
    this.#run(() => this.#send(text, 'ordinary'))
  }

  /** Must be called when the modem has answered on another port, or has sent an unsolicited code there. */
  heardElsewhere(event?: Unsolicited): void {
    this.#run(() => (event === undefined ? this.#current?.heardElsewhere?.() : this.#current?.unsolicited?.(event)))
  }

  /** Ends all exchanges, as if the port had been lost. */
  close(reason: string): void {
    this.#run(() => {
      this.#lostReason ??= reason
    })
  }

  /** The reason why the port was lost; undefined until the port is lost. */
  get lostReason(): string | undefined {
    return this.#lostReason
  }

  get telemetry(): DialogueTelemetry {
    return {
      state: this.#state,
      inFlight: this.#current && maskLine(this.#current.text, this.#current.sensitivity, false),
      waitingMs: this.#busySinceMs === undefined ? undefined : this.#clock.nowMs() - this.#busySinceMs,
      queued: this.#queue.length,
      lastByteAtMs: this.#traffic.lastByteAtMs,
      timeouts: this.#timeouts,
      resynchronisations: this.#resynchronisation.begun,
      bytesReceived: this.#traffic.bytesReceived,
      bytesSent: this.#traffic.bytesSent,
      echoes: this.#routing.echoes,
    }
  }

  // ── Interface for exchanges ────────────────────────────────────────────────────────────────────────────────────

  readonly #link: ExchangeLink = {
    write: (text) => this.#write(text),
    deadline: (afterMs) => this.#deadline.set(afterMs),
    remind: (afterMs) => this.#reminder.set(afterMs),
    nowMs: () => this.#clock.nowMs(),
    resume: (action) => this.#run(action),
    giveBack: (line) => this.#routing.giveBack(line),
    done: (next) => this.#done(next),
  }

  #write(text: string): void {
    this.#routing.wrote(text)
    this.#send(text, this.#sensitivity)
  }

  #send(text: string, sensitivity: Sensitivity): void {
    if (this.#state === 'closed' || this.#lostReason !== undefined) return
    const failure = this.#traffic.write(text, sensitivity)
    // Notifies the exchange as for any lost port, so that the state of the exchange decides the outcome. A port may
    // also close within `write`.
    if (failure !== undefined) this.#lostReason = failure
  }

  #done(next: 'in-step' | 'out-of-step'): void {
    const exchange = this.#current
    this.#current = undefined
    this.#deadline.clear()
    this.#reminder.clear()
    if (next === 'in-step') this.#busySinceMs = undefined
    if (exchange instanceof Resynchronisation) {
      if (this.#state === 'resynchronising') this.#enter(next)
    } else if (next === 'out-of-step' || (exchange instanceof CommandExchange && this.#assembler.textFlowsMs > 0)) {
      // A line of text may have ended the command. Without resynchronisation, the real result would count as the result
      // of the next command.
      this.#resynchronisation.pressAfter(exchange)
    }
  }

  #leaveGap(forMs: number): void {
    this.#inGap = true
    this.#clock.after(forMs, () =>
      this.#run(() => {
        this.#inGap = false
      }),
    )
  }

  // ── Main loop ──────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Every entry point uses this method, so that a callback from a port or a listener never runs inside another
   * callback.
   */
  #run(action: () => void): void {
    if (this.#running) {
      action()
      return
    }
    this.#running = true
    try {
      action()
      while (this.#step()) {
        // Each step is one chunk, one event or the start of one exchange.
      }
    } finally {
      this.#running = false
    }
  }

  #step(): boolean {
    const chunk = this.#backlog.shift()
    if (chunk) {
      this.#read(chunk)
      return true
    }
    if (this.#lostReason !== undefined && this.#state !== 'closed') {
      this.#loseAll()
      return true
    }
    const event = this.#events.shift()
    if (event) {
      this.#onEvent(event)
      return true
    }
    return this.#startNext()
  }

  #startNext(): boolean {
    if (this.#current !== undefined || this.#inGap || this.#state === 'closed') return false
    // Waits once for the rest of a text, which resynchronisation could read as answers.
    if (this.#resynchronisation.pressing && !this.#waitedForText && this.#waitForText()) {
      this.#waitedForText = true
      return false
    }
    if (this.#resynchronisation.pressing || (this.#state === 'new' && this.#queue.length > 0)) {
      this.#startResynchronisation()
      return true
    }
    // Waits for the rest of a text, which could be read as the prompt or the result of a submission.
    const mayBeFooled = this.#state === 'in-step' && this.#queue.first instanceof SubmissionExchange
    if (mayBeFooled && this.#waitForText()) return false
    const exchange = this.#queue.next()
    if (exchange === undefined) return false
    if (this.#state === 'in-step') {
      this.#current = exchange
      this.#busySinceMs = this.#clock.nowMs()
      exchange.start()
    } else {
      exchange.refuse('out-of-step')
    }
    return true
  }

  #waitForText(): boolean {
    const flowsMs = this.#assembler.textFlowsMs
    if (flowsMs > 0) this.#leaveGap(flowsMs)
    return flowsMs > 0
  }

  #startResynchronisation(): void {
    this.#waitedForText = false
    this.#enter('resynchronising')
    this.#busySinceMs ??= this.#clock.nowMs()
    this.#current = this.#resynchronisation.begin(this.#link)
    this.#current.start()
  }

  #loseAll(): void {
    this.#assembler.flush(this.#assembled)
    this.#enter('closed')
    this.#current?.portLost()
    this.#deadline.clear()
    this.#reminder.clear()
    this.#queue.close()
    this.#resynchronisation.giveUp()
  }

  #enter(state: DialogueState): void {
    if (this.#state === state) return
    this.#state = state
    this.#events.push({ kind: 'state', state })
  }

  // ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────

  #receive(bytes: Uint8Array): void {
    if (this.#state === 'closed') return
    if (this.#running) this.#backlog.push(bytes.slice())
    else this.#run(() => this.#read(bytes))
  }

  #read(bytes: Uint8Array): void {
    this.#traffic.received(bytes, this.#sensitivity, this.#clock.nowMs())
    this.#tokenizer.push(bytes, this.#tokens)
    this.#held.watch()
  }

  readonly #tokens = {
    line: (text: string): void => this.#assembler.push(text, this.#assembled),
    prompt: (): void => void (this.#assembler.takesPrompt() || this.#assembled.prompt()),
    noise: (length: number): void => void this.#events.push({ kind: 'noise', length }),
  }

  readonly #assembled = {
    line: (line: ResponseLine, form: UnsolicitedForm | undefined, mayBeText: boolean): void =>
      this.#routing.route(line, form, mayBeText),
    unsolicited: (event: Unsolicited): void => {
      this.#events.push(event)
      this.#current?.unsolicited?.(event)
    },
    prompt: (): void => {
      // Reports the unexpected prompt, because after a prompt the modem would read the next command as a PDU.
      if (this.#current) this.#current.prompt()
      else if (this.#state === 'in-step') this.#resynchronisation.press()
    },
  }

  get #sensitivity(): Sensitivity {
    return this.#current?.sensitivity ?? 'ordinary'
  }

  #expire(): void {
    const exchange = this.#current
    // A text without a closing quote may contain the answer.
    this.#assembler.flush(this.#assembled)
    if (exchange === undefined || exchange !== this.#current) return
    if (!(exchange instanceof Resynchronisation)) this.#timeouts += 1
    exchange.expired()
  }
}

export interface DialogueOptions {
  readonly port: BytePort
  readonly clock: Clock
  readonly onEvent: (event: DialogueEvent) => void
  readonly trace?: ByteTrace
  /** The profile's unsolicited codes, if the profile is already known; `learn` adds them later. */
  readonly unsolicited?: readonly UnsolicitedForm[]
  readonly resynchroniseAttempts?: number
  readonly resynchroniseTimeoutMs?: number
  readonly maximumLineLength?: number
}

/** The texts are not masked and may be private. */
export type DialogueEvent =
  | LineEvent
  /** A line was truncated because it exceeded the length limit. */
  | { readonly kind: 'noise'; readonly length: number }
  | { readonly kind: 'state'; readonly state: DialogueState }
