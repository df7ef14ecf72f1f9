import { BeforePdu } from './before-pdu.ts'
import type { BytePort } from './byte-port.ts'
import type { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import { type Command, type CommandOutcome, isWritable, type Sensitivity } from './command.ts'
import { CommandExchange } from './command-exchange.ts'
import { Deadline, graceMs } from './deadline.ts'
import type { DialogueTelemetry } from './dialogue-telemetry.ts'
import { Doubt } from './doubt.ts'
import type { Exchange, ExchangeLink } from './exchange.ts'
import { ExchangeQueue } from './exchange-queue.ts'
import { HeldLines } from './held-lines.ts'
import { LineAssembler } from './line-assembler.ts'
import { type LineNews, LineRouting } from './line-routing.ts'
import { PortTraffic } from './port-traffic.ts'
import type { ResponseLine } from './response-line.ts'
import { Resynchronisation } from './resynchronisation.ts'
import { ResynchronisationNeed } from './resynchronisation-need.ts'
import type { Submission, SubmissionOutcome } from './submission.ts'
import { SubmissionExchange } from './submission-exchange.ts'
import { Tokenizer } from './tokenizer.ts'
import type { ByteTrace } from './trace.ts'
import { maskLine } from './trace-masking.ts'
import { genericForms, type Unsolicited, type UnsolicitedForm, UnsolicitedTable } from './unsolicited.ts'

/**
 * Talks to one modem over one port: one exchange in flight, the others queue.
 *
 * `new` nothing has been said; the first command gets both ends in step before it → `in-step` what comes next answers
 * what is written next → `resynchronising` an exchange ended without its answer: nothing of the queue is written until
 * it is proved that no old answer can come → `in-step` again, or `out-of-step`: the modem did not get in step within
 * the attempts; all that is queued, and all that is asked for, ends unsent until `resynchronise` succeeds → `closed`.
 *
 * Bytes are read to the end of their chunk before anything is written: what had come by then answers nothing that was
 * not written yet.
 */
export class Dialogue {
  readonly #clock: Clock
  readonly #onEvent: (event: DialogueEvent) => void
  readonly #gapMs: number
  readonly #traffic: PortTraffic
  readonly #table: UnsolicitedTable
  readonly #assembler: LineAssembler
  readonly #tokenizer: Tokenizer
  readonly #deadline: Deadline
  readonly #held: HeldLines
  readonly #routing: LineRouting
  readonly #resynchronisation: ResynchronisationNeed
  readonly #queue: ExchangeQueue
  readonly #doubt = new Doubt()
  readonly #events: DialogueEvent[] = []
  /** Chunks that came while another was being read: a port may answer within `write`. */
  readonly #backlog: Uint8Array[] = []
  #running = false
  #state: DialogueState = 'new'
  #current: Exchange | undefined
  #inGap = false
  #waitedForText = false
  #lostReason: string | undefined
  #timeouts = 0

  constructor(options: DialogueOptions) {
    const { port, clock, trace, resynchroniseAttempts, resynchroniseTimeoutMs } = options
    const run = (action: () => void) => this.#run(action)
    const inFlight = () => this.#current
    this.#clock = clock
    this.#onEvent = options.onEvent
    this.#gapMs = options.gapMs ?? 0
    this.#table = new UnsolicitedTable(genericForms)
    this.#table.learn(options.unsolicited ?? [])
    this.#traffic = new PortTraffic(port, trace)
    this.#queue = new ExchangeQueue({ run, inFlight })
    this.#resynchronisation = new ResynchronisationNeed(this.#traffic, resynchroniseAttempts, resynchroniseTimeoutMs)
    this.#routing = new LineRouting(this.#table, this.#doubt, inFlight, (news) => void this.#events.push(news))
    this.#assembler = new LineAssembler(this.#table, this.#routing, () => clock.nowMs())
    this.#tokenizer = new Tokenizer(options.maximumLineLength)
    this.#deadline = new Deadline(
      clock,
      (nowMs) => this.#tokenizer.midLine && nowMs - (this.#traffic.lastByteAtMs ?? 0) < graceMs,
      () => this.#run(() => this.#expire()),
    )
    this.#held = new HeldLines(
      clock,
      () => {
        const { heldUntilMs } = this.#assembler
        // A line that has begun may be the next of the text.
        const flowsUntilMs = this.#tokenizer.midLine ? (this.#traffic.lastByteAtMs ?? 0) + graceMs : 0
        return heldUntilMs && Math.max(heldUntilMs, flowsUntilMs)
      },
      () => this.#run(() => this.#assembler.release(this.#assembled)),
    )
    // One that is lost already says so at once: whoever is still being built around this is told a moment later.
    this.#running = true
    port.onBytes((bytes) => this.#receive(bytes))
    port.onClosed((reason) => this.close(reason))
    this.#running = false
    if (this.#lostReason !== undefined) clock.after(0, () => this.#run(() => undefined))
  }

  /** Queues the command (FIFO). Never rejects, whatever the modem does. */
  execute(command: Command, cancellation?: Cancellation): Promise<CommandOutcome> {
    if (!isWritable(command.text)) return Promise.resolve({ kind: 'not-sent', why: 'unwritable' })
    return new Promise((resolve) => {
      this.#queue.add(cancellation, resolve, (settle) => new CommandExchange(command, this.#link, settle))
    })
  }

  /** Queues a submission in two steps. Once PDU and Ctrl-Z are written a cancellation has no effect. */
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
   * Gets both ends in step, after the exchange in flight and before all that is queued. Runs by itself before the first
   * command and after each exchange that ended without its answer; to be called when it failed, or out of doubt.
   */
  resynchronise(): Promise<ResynchroniseOutcome> {
    return new Promise((resolve) => {
      if (this.#state === 'closed') {
        resolve({ kind: 'closed' })
        return
      }
      this.#resynchronisation.onEnd(({ inStep, attempts, heard }) => {
        if (inStep) resolve({ kind: 'in-step', attempts })
        else resolve(this.#lostReason === undefined ? { kind: 'out-of-step', attempts, heard } : { kind: 'closed' })
      })
      this.#run(() => {
        if (this.#state !== 'resynchronising') this.#resynchronisation.press()
      })
    })
  }

  /** Adds a profile's unsolicited codes, once it is known. */
  learn(forms: readonly UnsolicitedForm[]): void {
    this.#table.learn(forms)
  }

  /** Past all exchanges: for what is no command, and for a modem that answers none. One character for each byte. */
  writeRaw(text: string): void {
    this.#run(() => this.#send(text, 'ordinary'))
  }

  /** Ends everything, as if the port had been lost. */
  close(reason: string): void {
    this.#run(() => {
      this.#lostReason ??= reason
    })
  }

  /** Why the port was lost, once it was. */
  get lostReason(): string | undefined {
    return this.#lostReason
  }

  get telemetry(): DialogueTelemetry {
    return {
      state: this.#state,
      inFlight: this.#current && maskLine(this.#current.text, this.#current.sensitivity, false),
      queued: this.#queue.length,
      lastByteAtMs: this.#traffic.lastByteAtMs,
      timeouts: this.#timeouts,
      resynchronisations: this.#resynchronisation.begun,
      bytesReceived: this.#traffic.bytesReceived,
      bytesSent: this.#traffic.bytesSent,
    }
  }

  // ── What an exchange may do ────────────────────────────────────────────────────────────────────────────────────

  readonly #link: ExchangeLink = {
    write: (text) => this.#write(text),
    deadline: (afterMs) => this.#deadline.set(afterMs),
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
    // The exchange is told as of any lost port, and judges by its state. A port may also have closed within `write`.
    if (failure !== undefined) this.#lostReason = failure
  }

  #done(next: 'in-step' | 'out-of-step'): void {
    const exchange = this.#current
    this.#current = undefined
    this.#deadline.clear()
    if (exchange instanceof Resynchronisation) {
      if (this.#state === 'resynchronising') this.#enter(next)
    } else if (next === 'out-of-step' || (exchange instanceof CommandExchange && this.#assembler.textFlowsMs > 0)) {
      // A line of a text may have ended it: then its own result is taken for that of the next one, and so on.
      this.#resynchronisation.pressAfter(exchange)
    } else if (this.#gapMs > 0) {
      this.#leaveGap(this.#gapMs)
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

  // ── One thing at a time ────────────────────────────────────────────────────────────────────────────────────────

  /** All ways in lead through here: nothing runs inside anything else, however port and listeners call back. */
  #run(action: () => void): void {
    if (this.#running) {
      action()
      return
    }
    this.#running = true
    try {
      action()
      while (this.#step()) {
        // Each step is one chunk, one event or one exchange begun.
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
    // The rest of somebody's text could be taken for answers while getting in step: that waits for it, once.
    if (this.#resynchronisation.pressing && !this.#waitedForText && this.#waitForText()) {
      this.#waitedForText = true
      return false
    }
    if (this.#resynchronisation.pressing || (this.#state === 'new' && this.#queue.length > 0)) {
      this.#startResynchronisation()
      return true
    }
    // Or for the prompt and the result of a submission.
    const mayBeFooled = this.#state === 'in-step' && this.#queue.first instanceof SubmissionExchange
    if (mayBeFooled && this.#waitForText()) return false
    const exchange = this.#queue.next()
    if (exchange === undefined) return false
    if (this.#state === 'in-step') {
      this.#current = exchange
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
    this.#current = this.#resynchronisation.begin(this.#link)
    this.#current.start()
  }

  #loseAll(): void {
    this.#assembler.flush(this.#assembled)
    this.#enter('closed')
    this.#current?.portLost()
    this.#deadline.clear()
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
    prompt: (): void => {
      if (!this.#assembler.takesPrompt()) this.#assembled.prompt()
    },
    noise: (length: number): void => {
      this.#events.push({ kind: 'noise', length })
    },
  }

  readonly #assembled = {
    line: (line: ResponseLine, form: UnsolicitedForm | undefined, mayBeText: boolean): void =>
      this.#routing.route(line, form, mayBeText),
    unsolicited: (event: Unsolicited): void => {
      this.#events.push(event)
    },
    prompt: (): void => {
      // A modem that waits for a PDU nobody announced would swallow the next command.
      if (this.#current) this.#current.prompt()
      else if (this.#state === 'in-step') this.#resynchronisation.press()
    },
  }

  get #sensitivity(): Sensitivity {
    return this.#current?.sensitivity ?? 'ordinary'
  }

  // ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────

  #expire(): void {
    const exchange = this.#current
    // Text that never was closed may hold the answer.
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
  /** The profile's unsolicited codes, if it is known already; `learn` adds them later. */
  readonly unsolicited?: readonly UnsolicitedForm[]
  /** Pause between a final result and the next command, for firmware that needs one. Default 0. */
  readonly gapMs?: number
  readonly resynchroniseAttempts?: number
  readonly resynchroniseTimeoutMs?: number
  readonly maximumLineLength?: number
}

/** Texts are as they were read: they may hold what is private. */
export type DialogueEvent =
  | LineNews
  /** A line beyond the limit was cut. */
  | { readonly kind: 'noise'; readonly length: number }
  | { readonly kind: 'state'; readonly state: DialogueState }

export type DialogueState = 'new' | 'resynchronising' | 'in-step' | 'out-of-step' | 'closed'

export type ResynchroniseOutcome =
  | { readonly kind: 'in-step'; readonly attempts: number }
  /** `heard`: a byte came back at least. */
  | { readonly kind: 'out-of-step'; readonly attempts: number; readonly heard: boolean }
  | { readonly kind: 'closed' }
