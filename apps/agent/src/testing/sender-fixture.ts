import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import { decodeOutgoing } from '@smsgw/sms/tpdu/tpdu'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { defaultSendingLimits } from '../sending/schedule/sending-settings.ts'
import { Sender } from '../sending/sender.ts'
import type { SendingSim } from '../sending/sending-sim.ts'
import { ManualTime } from './manual-time.ts'
import { MemoryJournal } from './memory-journal.ts'

/** A sender with a manual clock and scripted SIMs. */
export class SenderFixture {
  readonly clock = new ManualClock()
  readonly time = new ManualTime(this.clock)
  readonly disk = new MemoryJournal(
    this.clock,
    () => 0,
    () => this.clock.epochMs(),
  )
  /** The submitted messages, as the recipient reads them. */
  readonly sent: {
    readonly simNumber: number
    readonly submit: Submit
    readonly text: string
    readonly atMs: number
  }[] = []
  /** The outcomes of the next submissions; `accepted` when the list is empty. */
  readonly outcomes: SubmitOutcome[] = []
  readonly problems: unknown[] = []
  sender: Sender
  #session: { readonly kill: () => void }
  readonly #opener: FieldOpener

  constructor(options: { readonly opener?: FieldOpener } = {}) {
    this.#opener = options.opener ?? new FieldOpener({})
    const { sender, session } = this.#make()
    this.sender = sender
    this.#session = session
  }

  /** Restarts as after a power cut: only the journal survives. */
  async restart(): Promise<void> {
    this.#session.kill()
    this.sender.stop()
    const { sender, session } = this.#make()
    this.sender = sender
    this.#session = session
    const restored = sender.restore()
    await this.pass(10)
    await restored
  }

  sim(simNumber: number, phoneNumber?: string): SendingSim {
    let reference = 0
    return {
      simNumber,
      iccid: `iccid-${simNumber}`,
      phoneNumber,
      submit: async (pdu, options) => {
        const outcome = this.outcomes.shift()
        if (outcome?.kind === 'not-sent') return this.#ended(options, outcome)
        const word = await options.beforePdu({ cancelled: false }).catch(() => 'failed' as const)
        if (word !== 'go')
          return this.#ended(options, {
            kind: 'not-sent',
            why: word === 'abort' ? 'before-pdu-aborted' : 'before-pdu-failed',
          })
        if ('text' in pdu) throw new Error('a text was sent')
        const { tpdu } = decodeOutgoing(octetsFromHex(hexFromOctets(pdu.octets)))
        if (tpdu.kind !== 'submit') throw new Error(`${tpdu.kind} was sent`)
        if (outcome?.kind !== 'refused') {
          const text = textOfUserData(tpdu.userData) ?? hexFromOctets(tpdu.userData.units)
          this.sent.push({ simNumber, submit: tpdu, text, atMs: this.clock.nowMs() })
        }
        reference += 1
        return this.#ended(
          options,
          outcome ?? { kind: 'accepted', messageReference: reference, detail: undefined, duplicate: false },
        )
      },
    }
  }

  #ended(options: Parameters<SendingSim['submit']>[1], outcome: SubmitOutcome): SubmitOutcome {
    void options.afterResult?.(outcome)
    return outcome
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs() + ms
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const dueMs = this.clock.nextAtMs
      if (dueMs === undefined || dueMs > untilMs) break
      this.clock.advance(dueMs - this.clock.nowMs())
    }
    this.clock.advance(untilMs - this.clock.nowMs())
  }

  async accept(...commands: readonly SendCommand[]): Promise<void> {
    const accepted = this.sender.accept(commands)
    await this.pass(5)
    await accepted
  }

  async events<Kind extends AgentEvent['kind']>(kind: Kind): Promise<readonly Extract<AgentEvent, { kind: Kind }>[]> {
    const { journal } = this.disk.session()
    const all = (await journal.read('events', { after: 0, most: 10_000 })).map(({ event }) => event)
    return all.filter((event) => event.kind === kind) as Extract<AgentEvent, { kind: Kind }>[]
  }

  iso(afterMs: number): string {
    return new Date(this.clock.epochMs() + afterMs).toISOString()
  }

  #make() {
    const session = this.disk.session()
    const sender = new Sender({
      journal: session.journal,
      clock: this.clock,
      time: this.time,
      random: () => 0.5,
      limits: defaultSendingLimits,
      opener: this.#opener,
      journalWatch: {
        onProblem: (error) => {
          if (error.reason === 'closed') throw error
        },
      },
      onReference: () => undefined,
      onProblem: (error) => this.problems.push(error),
      onOpenChanged: () => undefined,
    })
    return { sender, session }
  }
}

export function sendCommand(cmdId: string, more: Partial<SendCommand> = {}): SendCommand {
  return {
    kind: 'send',
    cmdId,
    messageId: `m-${cmdId}`,
    phoneNumber: '+447700900123',
    content: { text: `text of ${cmdId}` },
    isEncrypted: false,
    withDeliveryReport: true,
    priority: 0,
    acceptedAt: '2026-03-01T12:00:00.000Z',
    onUncertain: 'resolve',
    ...more,
  }
}
