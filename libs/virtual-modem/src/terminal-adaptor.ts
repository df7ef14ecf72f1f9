import { PduDecodeError, PduEncodeError } from '@smsgw/sms/pdu-error'
import { type CommandTable, error, type Finished, failWith, type Outcome, ok, silence } from './commands/command.ts'
import type { MobileEquipment } from './equipment/mobile-equipment.ts'
import { commandRefusal, intrudingLine, noiseNow, promptNow, strikesCommand } from './faults/dialogue.ts'
import type { ByteOutlet } from './wire/byte-outlet.ts'
import { type CommandText, parseCommandLine } from './wire/command-line.ts'
import { CommandParameters } from './wire/parameters.ts'
import { formatResult, type ResultCode, withLineEnds } from './wire/result-code.ts'

/**
 * The command interpreter of one terminal (the TA of 27.005): reads command lines and writes results (V.250 §5).
 * States:
 *
 * - deaf: the modem is starting; bytes are lost.
 * - listening: characters form a line; everything before `AT` is skipped.
 * - working: the commands of a line run one after another. Bytes from the host wait, but they abort a command that can
 *   be aborted. Faults may drop or refuse these bytes.
 * - asking: a prompt is open; characters are data until Ctrl-Z, which sends, or ESC, which cancels.
 * - hung: bytes are accepted, but nothing is answered.
 */
export class TerminalAdaptor {
  commands = 0
  readonly #modem: MobileEquipment
  readonly #outlet: ByteOutlet
  readonly #table: CommandTable
  readonly #asTerminal: (run: () => void) => void
  #state: 'deaf' | 'listening' | 'working' | 'asking' | 'hung' = 'deaf'
  #line = ''
  #lineTooLong = false
  #lastLine = ''
  #input: Uint8Array[] = []
  #inputLength = 0
  #consuming = false
  /** The commands of the line, and the names that faults use for them. */
  #queue: readonly (CommandText | undefined)[] = []
  #next = 0
  #names: readonly string[] = []
  #information = ''
  #abort: (() => void) | undefined
  /** The number of the pending answer. An answer with another number belongs to an earlier command and is ignored. */
  #turn = 0
  #data = ''
  #given: ((data: string) => Outcome) | undefined
  #textPrompt = false
  #deafUntilMs = 0
  #sending = false

  constructor(modem: MobileEquipment, outlet: ByteOutlet, table: CommandTable, terminal = 0) {
    this.#modem = modem
    this.#outlet = outlet
    this.#table = table
    this.#asTerminal = (run) => modem.terminals.as(terminal, run)
  }

  get hung(): boolean {
    return this.#state === 'hung'
  }

  /** True from Ctrl-Z until the command ends. */
  get sending(): boolean {
    return this.#state === 'working' && this.#sending
  }

  deafen(forMs: number): void {
    this.#deafUntilMs = this.#modem.clock.nowMs() + forMs
  }

  listen(): void {
    if (this.#state === 'deaf') this.#state = 'listening'
  }

  hang(): void {
    this.#state = 'hung'
    this.#input = []
    this.#inputLength = 0
  }

  receive(bytes: Uint8Array): void {
    this.#asTerminal(() => this.#receive(bytes))
  }

  #receive(bytes: Uint8Array): void {
    if (this.#state === 'deaf' || this.#state === 'hung' || this.#modem.clock.nowMs() < this.#deafUntilMs) return
    if (this.sending && (this.#abortsSending() || this.#answersWhileSending(bytes))) return
    if (this.#inputLength + bytes.length > inputLimit) return
    this.#input.push(bytes)
    this.#inputLength += bytes.length
    if (this.#state === 'working') this.#abort?.()
    this.#consume()
  }

  /** The input that aborts the command is lost (V.250 §5.6.1). The network may still accept the message. */
  #abortsSending(): boolean {
    const abort = this.#modem.faults.strike('abort-while-sending')
    if (!abort) return false
    this.#turn += 1
    // Faults of the command, such as a late answer, do not apply to the result code after the abort.
    this.#names = []
    this.#outlet.together(() => this.#end(abort.code === 0 ? 'OK' : abort.code < 0 ? 'ERROR' : { cms: abort.code }))
    return true
  }

  /**
   * Applies the faults that answer or refuse input while a message is being sent. Returns true if such a fault has
   * handled the input.
   */
  #answersWhileSending(bytes: Uint8Array): boolean {
    const { faults, settings } = this.#modem
    const answers = faults.strike('answers-while-sending')
    const busy = answers ? undefined : faults.strike('busy-while-sending')
    if (!answers && !busy) return false
    const refused =
      busy?.refused === false ? silence : failWith(busy && busy.code < 0 ? 'ERROR' : { cms: busy?.code ?? 515 })
    const lines = String.fromCharCode(...bytes).split(String.fromCharCode(settings.lineEnd))
    for (const line of lines.slice(0, -1)) {
      const { lines: information, result } = (answers && this.#answerAtOnce(line)) ?? refused
      const head = information.map((each) => `${lineBreak}${each}${lineBreak}`).join('')
      this.#outlet.write(withLineEnds(head + formatResult(result, settings), settings))
    }
    return true
  }

  /** Returns the answer, or undefined for a command that changes a setting or needs the SIM or the network. */
  #answerAtOnce(line: string): Finished | undefined {
    const start = line.search(/at/i)
    if (start < 0) return silence
    const [command] = parseCommandLine(line.slice(start + 2))
    if (command === undefined) return ok
    if (command.form === 'set' || this.#table[command.name]?.needs !== undefined) return undefined
    const outcome = this.#guarded(() => this.#dispatch(command))
    return outcome.kind === 'finished' ? outcome : undefined
  }

  #consume(): void {
    if (this.#consuming) return
    this.#consuming = true
    // Checks the input again, because a host in the same process may write while it receives bytes.
    while (this.#takesInput && this.#input.length > 0) this.#outlet.together(() => this.#takeInput())
    this.#consuming = false
  }

  get #takesInput(): boolean {
    return this.#state === 'listening' || this.#state === 'asking'
  }

  #takeInput(): void {
    while (this.#takesInput) {
      const bytes = this.#input.shift()
      if (bytes === undefined) break
      this.#inputLength -= bytes.length
      const taken = this.#state === 'listening' ? this.#takeLine(bytes) : this.#takeData(bytes)
      if (taken < bytes.length) {
        this.#input.unshift(bytes.subarray(taken))
        this.#inputLength += bytes.length - taken
      }
    }
  }

  /** Reads up to the end of a line; returns the number of bytes read. */
  #takeLine(bytes: Uint8Array): number {
    const { lineEnd, backspace } = this.#modem.settings
    const { longestLine } = this.#modem.personality
    let line = this.#line
    let at = 0
    let ended = false
    while (at < bytes.length && !ended) {
      const byte = bytes[at] ?? 0
      at += 1
      if (byte === lineEnd) ended = true
      else if (byte === backspace) line = line.slice(0, -1)
      else if (byte >= 0x20 && line.length < longestLine) line += String.fromCharCode(byte)
      else if (byte >= 0x20) this.#lineTooLong = true
      // V.250 §5.2.4: A/ needs no line end.
      if (byte === slash && /^a\/$/i.test(line)) ended = true
    }
    this.#line = line
    this.#echo(bytes.subarray(0, at))
    if (ended) this.#lineEnded()
    return at
  }

  #lineEnded(): void {
    const line = this.#line
    const tooLong = this.#lineTooLong
    this.#line = ''
    this.#lineTooLong = false
    if (/^a\/$/i.test(line)) {
      this.#runLine(this.#lastLine)
      return
    }
    const start = line.search(/at/i)
    if (start < 0) return
    if (tooLong) {
      this.#end('ERROR')
      return
    }
    this.#lastLine = line.slice(start + 2)
    this.#runLine(this.#lastLine)
  }

  #runLine(line: string): void {
    this.#state = 'working'
    this.#sending = false
    this.#queue = parseCommandLine(line)
    this.#names = this.#queue.map((command) => command?.name ?? '')
    this.#next = 0
    this.#information = ''
    this.commands += this.#queue.length
    const { faults } = this.#modem
    if (faults.standing('ok-to-everything')) this.#end('OK')
    else if (line.trim() === '' && faults.strike('at-refused')) this.#end('ERROR')
    else this.#continue()
  }

  #continue(): void {
    if (this.#next >= this.#queue.length) {
      this.#end('OK')
      return
    }
    const command = this.#queue[this.#next]
    this.#next += 1
    this.#handle(command === undefined ? error : this.#guarded(() => this.#dispatch(command)))
  }

  #dispatch(command: CommandText): Outcome {
    const entry = this.#table[command.name]
    if (entry === undefined) return failWith(this.#modem.personality.unknownCommand)
    const refused = commandRefusal(this.#modem.faults, command.name, command.form === 'read')
    if (refused !== undefined) return failWith(refused)
    // 27.007 §5.1: a test command is answered even if the command itself cannot run now.
    const missing = command.form === 'test' ? undefined : this.#modem.missing(entry.needs)
    if (missing !== undefined) return failWith(missing)
    const handler = entry[command.form]
    return handler ? handler(this.#modem, new CommandParameters(command.parameters)) : error
  }

  /** Answers CMS 304 when the host sent an invalid PDU. */
  #guarded(run: () => Outcome): Outcome {
    try {
      return run()
    } catch (failure) {
      if (failure instanceof PduDecodeError || failure instanceof PduEncodeError) return failWith({ cms: 304 })
      throw failure
    }
  }

  #handle(outcome: Outcome): void {
    switch (outcome.kind) {
      case 'finished':
        this.#finish(outcome)
        return
      case 'pending': {
        this.#state = 'working'
        const turn = ++this.#turn
        const finish = (later: Outcome) => {
          if (turn !== this.#turn || this.#state !== 'working') return
          this.#turn += 1
          this.#abort = undefined
          this.#asTerminal(() => {
            this.#outlet.together(() => this.#handle(later))
            this.#consume()
          })
        }
        const { abort } = outcome
        this.#abort = abort && (() => abort())
        outcome.start(finish)
        return
      }
      case 'asking':
        this.#ask(outcome.given, outcome.text)
        return
    }
  }

  #finish({ lines, result }: Finished): void {
    for (const line of lines) this.#information += line + lineBreak
    if (result === 'OK') this.#continue()
    else this.#end(result)
  }

  /** Writes the information of all commands of the line, then one result. */
  #end(result: ResultCode): void {
    const { faults, settings, random, unsolicited, personality } = this.#modem
    const information = this.#information
    this.#information = ''
    this.#state = 'working'
    if (strikesCommand(faults, 'modem-hang', this.#names)) {
      this.hang()
      return
    }
    if (strikesCommand(faults, 'answer-lost', this.#names)) {
      this.#listenAgain()
      return
    }
    const numeric = faults.strike('numeric-answers') !== undefined
    const verbose = settings.verbose && !numeric
    const head = information === '' ? '' : `${settings.verbose ? lineBreak : ''}${information}`
    const tail = settings.quiet ? '' : formatResult(result, { verbose, errorReports: settings.errorReports })
    const write = () => {
      const intruder = intrudingLine(faults, 'urc-before-answer', () => personality.statusLine(random))
      if (intruder !== undefined) this.#outlet.write(unsolicited.format(intruder))
      this.#outlet.write(noiseNow(faults, random) + withLineEnds(head + tail, settings))
      this.#listenAgain()
    }
    const late = strikesCommand(faults, 'answer-late', this.#names)
    if (late === undefined) write()
    else this.#writeLater(late.delayMs, write)
  }

  /** Writes after the delay, unless the command has ended by then. */
  #writeLater(delayMs: number, write: () => void): void {
    const turn = ++this.#turn
    this.#modem.clock.after(delayMs, () => {
      if (turn !== this.#turn || this.#state !== 'working') return
      this.#outlet.together(write)
      this.#consume()
    })
  }

  #listenAgain(): void {
    this.#turn += 1
    this.#abort = undefined
    this.#state = 'listening'
  }

  #ask(given: (data: string) => Outcome, text: boolean): void {
    const { faults, random, unsolicited, personality, settings } = this.#modem
    const { text: prompt, delayMs } = promptNow(faults)
    const open = () => {
      this.#state = 'asking'
      this.#data = ''
      this.#given = given
      this.#textPrompt = text
      const information = this.#information === '' ? '' : lineBreak + this.#information
      this.#outlet.write(withLineEnds(information + prompt, settings))
      this.#information = ''
      const intruder = intrudingLine(faults, 'urc-before-pdu', () => personality.statusLine(random))
      if (intruder !== undefined) this.#outlet.write(unsolicited.format(intruder))
      unsolicited.hold()
    }
    if (delayMs === 0) open()
    else {
      this.#state = 'working'
      this.#writeLater(delayMs, open)
    }
  }

  /** Reads up to Ctrl-Z or ESC; returns the number of bytes read. */
  #takeData(bytes: Uint8Array): number {
    let at = 0
    let end: number | undefined
    let echo = ''
    while (at < bytes.length && end === undefined) {
      const byte = bytes[at] ?? 0
      at += 1
      if (byte === controlZ || byte === escapeKey) end = byte
      else if (byte === this.#modem.settings.backspace) this.#data = this.#data.slice(0, -1)
      else {
        // Stores no more data than the limit, because the command will refuse such long data anyway.
        if (this.#data.length < dataLimit) this.#data += String.fromCharCode(byte)
        echo += byte === carriageReturn && this.#textPrompt ? '\r\n> ' : String.fromCharCode(byte)
      }
    }
    if (this.#echoing && echo !== '') this.#outlet.write(echo)
    if (end !== undefined) this.#dataEnded(end === controlZ)
    return at
  }

  #dataEnded(send: boolean): void {
    const given = this.#given
    const data = this.#data
    this.#given = undefined
    this.#data = ''
    this.#state = 'working'
    this.#sending = send
    this.#modem.unsolicited.release()
    if (!send || given === undefined) this.#end('OK')
    else if (data.length >= dataLimit) this.#end({ cms: this.#textPrompt ? 305 : 304 })
    else this.#handle(this.#guarded(() => given(data)))
  }

  get #echoing(): boolean {
    return this.#modem.settings.echo || this.#modem.faults.standing('echo-stuck') !== undefined
  }

  #echo(bytes: Uint8Array): void {
    if (this.#echoing) this.#outlet.write(String.fromCharCode(...bytes))
  }
}

const lineBreak = '\r\n'
const carriageReturn = 0x0d
const controlZ = 0x1a
const escapeKey = 0x1b
const slash = 0x2f
/** The largest number of bytes that wait while a command runs. */
const inputLimit = 65_536
/** The longest PDU has 352 characters; text in hexadecimal has four characters for each character of text. */
const dataLimit = 2048
