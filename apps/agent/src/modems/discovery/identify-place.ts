import type { Clock } from '@smsgw/modem/clock'
import { type ModemNumber, readModemNumber } from '@smsgw/modem/commands/identity'
import { readMessageFormat } from '@smsgw/modem/commands/messages/message-settings'
import { runQuery } from '@smsgw/modem/commands/query'
import { Dialogue, type DialogueEvent } from '@smsgw/modem/dialogue/dialogue'
import { readHilinkNumber } from '@smsgw/modem/hilink/hilink-modem'
import type { ClosablePort, ModemPort, OpenResult } from '@smsgw/modem/recovery/runner'
import type { ByteTrace } from '@smsgw/modem/wire/trace'
import type { ModemSite } from './find-places.ts'

export type Identified =
  | {
      readonly kind: 'modem'
      readonly number: ModemNumber
      readonly address: string
      readonly port: ModemPort
    }
  /** A modem that reports neither an IMEI nor a serial number. */
  | { readonly kind: 'unnumbered'; readonly address: string; readonly port: ModemPort }
  /**
   * The port can be opened, but no modem identifies itself. Perhaps a modem is still starting, a modem hangs, or the
   * device is not a modem.
   */
  | { readonly kind: 'silent'; readonly address: string; readonly port: ModemPort }
  | { readonly kind: 'absent' | 'refused'; readonly words: string }

/**
 * Tries the ports of a place until one reports an IMEI. If no port reports an IMEI, the port with the best answer is
 * used. OK to `AT` is not enough, because some ports answer OK to everything. The chosen port stays open, and the other
 * ports are closed. Messages that the modem delivered on any of these ports are added to `kept`. The next listener of
 * the chosen port receives all messages in `kept`, and they are removed. If there is no such listener, they stay there.
 */
export async function identifyPlace(options: {
  readonly ports: readonly string[]
  readonly open: (address: string) => Promise<OpenResult>
  readonly kept: Set<string>
  readonly clock: Clock
  readonly trace?: ByteTrace | undefined
}): Promise<Identified> {
  const { ports, open, kept, clock, trace } = options
  const untilMs = clock.nowMs() + budgetMs
  let best: Opened | undefined
  let problem: Extract<Identified, { kind: 'absent' | 'refused' }> | undefined
  for (const address of ports) {
    if (clock.nowMs() >= untilMs) break
    const opened = await open(address)
    if (opened.kind !== 'opened') {
      // A `refused` problem is more informative than an `absent` problem.
      if (problem === undefined || problem.kind === 'absent') problem = opened
      continue
    }
    const port = 'exchange' in opened.port ? opened.port : new RepeatingPort(opened.port, kept)
    const number = 'exchange' in port ? await readHilinkNumber(port) : await readNumber(port, clock, trace)
    const found: Opened = { ...kindOf(number), address, port }
    if (best !== undefined && rank(found) <= rank(best)) {
      await port.close()
      continue
    }
    await best?.port.close()
    best = found
    if (number?.imei !== undefined) break
  }
  return best ?? problem ?? { kind: 'absent', words: 'no port found' }
}

/**
 * The messages that modems on USB delivered directly and that no session has received yet. They belong to a place and
 * its USB session, because several modems may be connected to one USB adapter.
 */
export class KeptMessages {
  readonly #byPlace = new Map<string, { readonly session: string; readonly messages: Set<string> }>()

  /** Keeps no messages of a place that is not on USB, because its modem may be replaced unnoticed. */
  of({ key, usb }: ModemSite): Set<string> {
    const known = this.#byPlace.get(key)
    if (known !== undefined && known.session === usb?.session) return known.messages
    const messages = new Set<string>()
    if (usb !== undefined) this.#byPlace.set(key, { session: usb.session, messages })
    return messages
  }

  forgetOthers(sessions: ReadonlySet<string>): void {
    for (const [key, { session }] of this.#byPlace) if (!sessions.has(session)) this.#byPlace.delete(key)
  }
}

type Opened = Extract<Identified, { port: ModemPort }>

function kindOf(number: ModemNumber | undefined) {
  if (number === undefined) return { kind: 'silent' as const }
  const isNumbered = number.imei !== undefined || number.serial !== undefined
  return isNumbered ? { kind: 'modem' as const, number } : { kind: 'unnumbered' as const }
}

function rank(found: Opened): number {
  if (found.kind === 'silent') return 0
  if (found.kind === 'unnumbered') return 1
  return found.number.imei === undefined ? 2 : 3
}

/** Reads the IMEI or serial number on an open port; undefined if the device is not a modem. The port stays usable. */
async function readNumber(
  port: RepeatingPort,
  clock: Clock,
  trace: ByteTrace | undefined,
): Promise<ModemNumber | undefined> {
  const onEvent = (event: DialogueEvent) => port.keep(event)
  const dialogue = new Dialogue({
    port,
    clock,
    onEvent,
    resynchroniseAttempts: attempts,
    resynchroniseTimeoutMs: attemptMs,
    ...(trace && { trace }),
  })
  try {
    if ((await dialogue.resynchronise()).kind !== 'in-step') return undefined
    const number = await readModemNumber((query) => runQuery(dialogue, { ...query, timeoutMs: attemptMs }))
    if (number === undefined || number.imei !== undefined) return number
    // Tests the message format, because other devices, such as fax modems, also answer AT commands, but do not support
    // messages.
    const format = await runQuery(dialogue, { ...readMessageFormat, timeoutMs: attemptMs })
    return format.kind === 'value' ? number : undefined
  } finally {
    dialogue.close('identification finished')
    // Receives messages while other ports are searched. Writes nothing, because it is given no command.
    const idle = new Dialogue({ port, clock, onEvent, ...(trace && { trace }) })
    port.beforeHandover(() => idle.close('port handed over'))
  }
}

/**
 * A port that is handed over after the identification. A modem without memory for messages delivers each message only
 * once, so the next listener first gets the messages that were delivered before, and the beginning of a message that is
 * arriving. It gets no old answers, which it could take for answers to its own commands.
 */
class RepeatingPort implements ClosablePort {
  readonly #port: ClosablePort
  /** The messages of all ports of the place. Contains a message once, even if the modem delivered it on two ports. */
  readonly #kept: Set<string>
  #listener: ((bytes: Uint8Array) => void) | undefined
  #endIdentification: (() => void) | undefined
  /** The beginning of a message whose end has not arrived. */
  #begun = ''
  #isHandedOver = false
  /** True until the listener receives its first bytes. It may not be ready before it has written something. */
  #isNew = true

  constructor(port: ClosablePort, kept: Set<string>) {
    this.#port = port
    this.#kept = kept
    port.onBytes((bytes) => this.#receive(bytes))
  }

  write(bytes: Uint8Array): void {
    this.#port.write(bytes)
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#endIdentification?.()
    this.#isHandedOver = this.#endIdentification !== undefined
    this.#listener = listener
    this.#isNew = true
  }

  onClosed(listener: (reason: string) => void): void {
    this.#port.onClosed(listener)
  }

  close(): Promise<void> {
    return this.#port.close()
  }

  /** Keeps the message, if the event is a message that was delivered directly. */
  keep(event: DialogueEvent): void {
    const isMessage = event.kind === 'unsolicited' && ['+CMT', '+CDS'].includes(event.prefix)
    if (!isMessage || event.payload === undefined || this.#kept.size >= mostKept) return
    this.#kept.add(`\r\n${event.text}\r\n${event.payload}\r\n`)
  }

  /** The function is called when the next listener is added. */
  beforeHandover(endIdentification: () => void): void {
    this.#endIdentification = endIdentification
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isNew) {
      this.#isNew = false
      const missed = (this.#isHandedOver ? [...this.#kept].join('') : '') + this.#begun
      if (this.#isHandedOver) this.#kept.clear()
      if (missed !== '') this.#listener?.(Buffer.from(missed, 'latin1'))
    }
    if (!this.#isHandedOver) this.#begun = beginningOfMessage(this.#begun + Buffer.from(bytes).toString('latin1'))
    this.#listener?.(bytes)
  }
}

/** Returns the end of the text, from the first line of a message without its complete second line. */
function beginningOfMessage(text: string): string {
  return /\+(?:CMT|CDS):[^\r\n]*(?:[\r\n]+[^\r\n]*)?$|\+(?:C(?:MT?|DS?)?)?$/.exec(text.slice(-mostBegun))?.[0] ?? ''
}

/** Longer than a message of the largest size. */
const mostBegun = 1_024
/** More messages than a network delivers during an identification. Limits the memory that a faulty device uses. */
const mostKept = 100

// Two attempts are enough, because a working modem answers within milliseconds. The caller waits at most 15 s for the
// port.
const attempts = 2
const attemptMs = 1_500
const budgetMs = 9_000
