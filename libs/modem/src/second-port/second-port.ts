import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type ModemNumber, readModemNumber } from '../commands/identity.ts'
import { selectPduMode } from '../commands/messages/message-settings.ts'
import { type Memory, readMemoryUsage, selectMemories } from '../commands/messages/message-storage.ts'
import { listStoredMessages } from '../commands/messages/stored-messages.ts'
import { askIfKnown, type Query, runQuery } from '../commands/query.ts'
import { Dialogue, type DialogueEvent } from '../dialogue/dialogue.ts'
import type { MessageReceiver } from '../receive/receive.ts'
import type { ModemSession } from '../setup/startup.ts'
import type { BytePort } from '../wire/byte-port.ts'
import type { Unsolicited } from '../wire/unsolicited.ts'

/**
 * A second port of a modem, which is used while the first port waits for an answer. An answer on the second port shows
 * that the modem works. Received messages are read through the second port. The second port is not used to send or
 * delete messages, and never changes the memory that the commands on the first port use.
 *
 * `begin` checks that the port reports the same IMEI as the first port. If it does, the port is in use until the
 * session ends or `stop` is called. A port that hangs, answers nonsense or belongs to another modem has no effect.
 */
export class SecondPort {
  readonly #options: SecondPortOptions
  readonly #dialogue: Dialogue
  #readAtMs = Number.NEGATIVE_INFINITY
  /** Messages that arrived before the modem on this port was identified; undefined afterwards. */
  #early: Unsolicited[] | undefined = []

  constructor(options: SecondPortOptions) {
    const { port, clock, session, cancellation } = options
    this.#options = options
    this.#dialogue = new Dialogue({
      port,
      clock,
      unsolicited: session.profile.unsolicited,
      onEvent: (event) => this.#handle(event),
    })
    cancellation.onCancelled(() => this.#dialogue.close('the session has ended'))
  }

  async begin(): Promise<SecondPortOutcome> {
    const { session, cancellation } = this.#options
    if ((await this.#dialogue.resynchronise()).kind !== 'in-step') return 'silent'
    const number = await readModemNumber((query) =>
      runQuery(this.#dialogue, { ...query, timeoutMs: answerMs }, cancellation),
    )
    if (number === undefined) return 'silent'
    if (!isSame(number, session.identity)) return 'another-modem'
    this.#passOnEarly()
    for (const query of [echoOff, errorNumbers, selectPduMode]) await runQuery(this.#dialogue, query, cancellation)
    if (cancellation.cancelled) return 'silent'
    void this.#watch()
    // Waits until the first port is idle, because it may be waiting for a result already.
    await this.#chooseMemory()
    return 'in-use'
  }

  stop(): void {
    this.#dialogue.close('stopped')
  }

  /**
   * Some modems have one selected memory for all ports, other modems have one for each port. The first port has just
   * selected the memory for received messages. If the second port reports another memory, it has its own selection and
   * may select a memory. Otherwise, the first port keeps this memory selected.
   */
  async #chooseMemory(): Promise<void> {
    const { session, receiver, cancellation } = this.#options
    const { receiveInto, memories, memorySelectable } = session.messages
    const memory = receiveInto ?? memories[0]
    if (memory === undefined || !memorySelectable) return
    await receiver.whileSelected(memory, async () => {
      const selected = (await this.#selectedMemory())?.memory
      if (selected === memory) receiver.keepSelected(memory)
      else if (selected !== undefined)
        await runQuery(this.#dialogue, { ...selectMemories(memory), timeoutMs: answerMs }, cancellation)
    })
  }

  async #selectedMemory(): Promise<{ readonly memory: Memory | undefined; readonly used: number } | undefined> {
    const query = { ...readMemoryUsage, timeoutMs: answerMs }
    return (await askIfKnown(this.#dialogue, query, this.#options.cancellation))?.[0]
  }

  async #watch(): Promise<void> {
    const { clock, cancellation, first } = this.#options
    while (!cancellation.cancelled && this.#dialogue.telemetry.state !== 'closed') {
      if ((first.waitingMs() ?? 0) >= aliveAfterMs) await this.#check()
      await new Promise<void>((resolve) => clock.after(checkMs, resolve))
    }
  }

  async #check(): Promise<void> {
    const { clock, cancellation, first } = this.#options
    // After a missing answer, writes nothing until resynchronisation has succeeded.
    if (this.#dialogue.telemetry.state === 'out-of-step') await this.#dialogue.resynchronise()
    if ((await runQuery(this.#dialogue, attention, cancellation)).kind !== 'value') return
    first.heardElsewhere()
    const nowMs = clock.nowMs()
    if ((first.waitingMs() ?? 0) < readAfterMs || nowMs - this.#readAtMs < readEveryMs) return
    this.#readAtMs = nowMs
    await this.#read()
  }

  /**
   * Reads messages without deleting them. The owner deletes them on the first port, which compares each message before
   * the deletion.
   */
  async #read(): Promise<void> {
    const { session, receiver, cancellation, first } = this.#options
    const { memories, memorySelectable } = session.messages
    const { listingHangs, notListable } = session.profile.storage
    if (!memorySelectable || listingHangs) return
    const selected = await this.#selectedMemory()
    const memory = selected?.memory
    if (memory === undefined || selected?.used === 0) return
    if (!memories.includes(memory) || notListable.includes(memory)) return
    const answer = await runQuery(this.#dialogue, listStoredMessages, cancellation)
    // Discards the messages if the first port has continued, because it may already have deleted some of them.
    if (answer.kind !== 'value' || first.waitingMs() === undefined || cancellation.cancelled) return
    receiver.found(memory, answer.value)
  }

  #handle(event: DialogueEvent): void {
    if (event.kind !== 'unsolicited' || this.#options.cancellation.cancelled) return
    if (event.prefix !== '+CMT' && event.prefix !== '+CDS') return
    if (this.#early === undefined) this.#options.first.heardDirect(event)
    else if (this.#early.length < mostEarly) this.#early.push(event)
  }

  #passOnEarly(): void {
    const early = this.#early ?? []
    this.#early = undefined
    for (const event of early) this.#options.first.heardDirect(event)
  }
}

/** The functions that `SecondPort` calls. They belong to the driver, which uses the first port. */
export interface FirstPort {
  /** How long the first port has been waiting for an answer; undefined if it is idle. */
  waitingMs(): number | undefined
  /** Called when the modem has answered on the second port. */
  heardElsewhere(): void
  /** Called when the modem has delivered a message or report directly on the second port. */
  heardDirect(event: Unsolicited): void
}

export interface SecondPortOptions {
  readonly port: BytePort
  readonly clock: Clock
  readonly session: ModemSession
  /** Cancelled when the session ends. */
  readonly cancellation: Cancellation
  readonly receiver: Pick<MessageReceiver, 'found' | 'whileSelected' | 'keepSelected'>
  readonly first: FirstPort
}

export type SecondPortOutcome = 'in-use' | 'silent' | 'another-modem'

function isSame(one: ModemNumber, other: ModemNumber): boolean {
  // Compares without the check digit, because some commands omit the check digit of the IMEI.
  if (other.imei !== undefined) return one.imei?.slice(0, 14) === other.imei.slice(0, 14)
  return other.serial !== undefined && one.serial === other.serial
}

/** More messages than a network delivers while the modem on a port is identified. */
const mostEarly = 100
const answerMs = 3_000
const setting = (text: string): Query<true> => ({ text, timeoutMs: answerMs, read: () => true })
const attention = setting('AT')
const echoOff = setting('ATE0')
const errorNumbers = setting('AT+CMEE=1')

const checkMs = 1_000
/** A working modem answers most commands within this time. */
const aliveAfterMs = 1_000
const readAfterMs = 2_000
const readEveryMs = 2_000
