import { RandomChoices } from '@smsgw/simulation/random-choices'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import type { FaultName } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { expect, test } from 'vitest'
import type { ModemEvent } from '../modem-event.ts'
import { RecoveryRunner } from '../recovery/runner.ts'
import { StickWorld, stickNumber } from '../testing/stick-world.ts'
import type { WebPort } from './web-port.ts'

const firstSeed = 20_261_123
const schedules = 100

test(`no guarantee is broken in ${schedules} schedules of a stick with faults and crashes, from seed ${firstSeed} on`, async () => {
  const seen = new Map<string, number>()
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    const schedule = new Schedule(seed)
    expect(await schedule.run(), `seed ${seed}`).toEqual([])
    for (const each of schedule.seen) seen.set(each, (seen.get(each) ?? 0) + 1)
  }
  // The run proves little unless every kind of result and crash occurred.
  expect([...seen.keys()]).toEqual(expect.arrayContaining([...mustBeSeen]))
}, 240_000)

const mustBeSeen = [
  ...['accepted', 'refused', 'unknown', 'not-sent', 'stored', 'deleted', 'deferred', 'failed', 'already-gone'],
  ...['crash: before commit', 'crash: after commit', 'crash: at any time', 'crash: after store', 'crash: after delete'],
]

interface Message {
  readonly destination: string
  readonly text: string
  /** `committed`: the message may have been sent. After a crash it stays committed and is not sent again. */
  state: 'queued' | 'committed' | 'accepted' | 'unknown'
}

/**
 * A program with a journal that survives its crashes, a stick with faults, and a network with a ledger of the messages
 * that it really accepted.
 */
class Schedule {
  readonly seen = new Set<string>()
  readonly #random: RandomChoices
  readonly #world = new StickWorld()
  readonly #messages: Message[] = []
  readonly #expected: string[] = []
  /** The journal: the PDUs that were stored. */
  readonly #stored = new Set<string>()
  #program: Program | undefined

  constructor(seed: number) {
    this.#random = new RandomChoices(seed)
  }

  async run(): Promise<readonly string[]> {
    this.#startProgram()
    const steps = 12 + this.#random.below(12)
    for (let step = 0; step < steps; step += 1) {
      this.#disturb(step)
      await this.#world.pass(this.#random.oneOf([250, 1_000, 4_000, 20_000]))
    }
    this.#world.stick.faults.clear()
    await this.#world.pass(900_000)
    this.#program?.kill()
    return this.#problems()
  }

  #disturb(step: number): void {
    const { stick, network } = this.#world
    const isLong = this.#random.happens(0.3)
    const text = `${step} ${(isLong ? 'a long <message> & more ' : 'short ').repeat(isLong ? 12 : 1)}`
    switch (this.#random.weighted({ send: 4, receive: 3, fault: 4, crash: 1, reboot: 0.5, unplug: 0.5 })) {
      case 'send':
        this.#messages.push({ destination: `+4474001000${step + 10}`, text, state: 'queued' })
        break
      case 'receive':
        network.sendText(`+4474002000${step + 10}`, stickNumber, text)
        this.#expected.push(`4474002000${step + 10} ${text}`)
        break
      case 'fault': {
        const [name, options] = this.#random.oneOf(faults)
        stick.faults.set(name, { ...options, times: 1 + this.#random.below(3) })
        break
      }
      case 'crash':
        this.#crash('at any time')
        break
      case 'reboot':
        stick.reboot()
        break
      case 'unplug':
        stick.unplug(5_000)
    }
  }

  /** Returns true if the program crashes at this step. */
  #mayCrash(where: string): boolean {
    const isCrash = this.#random.happens(0.06)
    if (isCrash) this.#crash(where)
    return isCrash
  }

  #crash(where: string): void {
    this.seen.add(`crash: ${where}`)
    this.#program?.kill()
    this.#startProgram()
  }

  #startProgram(): void {
    const program = new Program(this.#world, (event) => void this.#handle(program, event))
    this.#program = program
    this.#sendNext(program)
  }

  /** Sends one message after the other, like a lane of the agent. */
  #sendNext(program: Program): void {
    this.#world.clock.after(500, async () => {
      if (!program.isAlive) return
      const message = this.#messages.find(({ state }) => state === 'queued')
      const modem = program.runner.modem
      if (message !== undefined && modem?.state.name === 'ready') await this.#send(program, message)
      this.#sendNext(program)
    })
  }

  async #send(program: Program, message: Message): Promise<void> {
    const { destination, text } = message
    const outcome = await program.runner.modem?.submit(
      { destination, text },
      {
        id: destination,
        beforePdu: async () => {
          if (this.#mayCrash('before commit')) return new Promise(() => undefined)
          message.state = 'committed'
          if (this.#mayCrash('after commit')) return new Promise(() => undefined)
          return 'go'
        },
      },
    )
    if (!program.isAlive || outcome === undefined) return
    this.seen.add(outcome.kind)
    const isSafe = outcome.kind === 'refused' || outcome.kind === 'not-sent'
    message.state = isSafe ? 'queued' : outcome.kind
  }

  async #handle(program: Program, event: ModemEvent): Promise<void> {
    if (!program.isAlive || event.kind !== 'incoming' || event.incoming.source.kind !== 'stored') return
    const { source, pdu } = event.incoming
    // The agent also recognises a PDU by its octets.
    this.#stored.add(pdu)
    this.seen.add('stored')
    if (event.incoming.kind === 'unreadable' || this.#mayCrash('after store')) return
    // Parts are stored at different times, so some deletions are requested together and some alone.
    if (this.#random.happens(0.2)) await this.#pause(this.#random.oneOf([500, 8_000]))
    if (!program.isAlive) return
    for (;;) {
      const deletion = await program.runner.modem?.deleteMessage(source, pdu)
      if (!program.isAlive) return
      this.seen.add(deletion?.kind ?? 'gone')
      if (deletion?.kind === 'deleted' && this.#mayCrash('after delete')) return
      if (deletion !== undefined && deletion.kind !== 'failed' && deletion.kind !== 'deferred') return
      await this.#pause(5_000)
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#world.clock.after(ms, resolve))
  }

  #problems(): readonly string[] {
    const problems: string[] = []
    for (const { destination, text, state } of this.#messages) {
      const sent = this.#world.sent.filter((each) => each.startsWith(`${destination} `))
      const isRight = sent.every((each) => each === `${destination} ${text}`)
      const isOnce = state === 'accepted' ? sent.length === 1 : sent.length <= 1
      if (!isRight || !isOnce || state === 'queued') problems.push(`${destination} ${state}: sent ${sent.length} times`)
    }
    const received = textsOf(this.#stored)
    for (const text of this.#expected) {
      const times = received.filter((each) => each === text).length
      if (times !== 1) problems.push(`received ${times} times: ${text}`)
    }
    const used = this.#world.stick.snapshot().memories.find(({ name }) => name === 'ME')?.used
    if (used !== 0) problems.push(`${used} messages left in the stick`)
    return problems
  }
}

/** One process. After `kill` it writes nothing more, and its unfinished work never continues. */
class Program {
  readonly runner: RecoveryRunner
  isAlive = true

  constructor(world: StickWorld, onEvent: (event: ModemEvent) => void) {
    const port: WebPort & { close(): Promise<void> } = {
      exchange: (request) => (this.isAlive ? world.exchange(request) : new Promise(() => undefined)),
      onClosed: () => undefined,
      close: async () => undefined,
    }
    this.runner = new RecoveryRunner({ clock: world.clock, open: async () => ({ kind: 'opened', port }), onEvent })
    this.runner.start()
  }

  kill(): void {
    this.isAlive = false
    void this.runner.stop()
  }
}

/** Joins the parts by sender and reference. Each PDU is a DELIVER without the address of a service centre. */
function textsOf(pdus: Iterable<string>): readonly string[] {
  const messages = new Map<string, string[]>()
  for (const pdu of pdus) {
    const { userData, originator } = decodeDeliver(octetsFromHex(pdu), 1)
    const part = concatenationOf(userData.header)
    const key = part === undefined ? pdu : `${originator.value} ${part.reference}`
    const texts = messages.get(key) ?? [`${originator.value} `]
    texts[part?.sequence ?? 1] = textOfUserData(userData) ?? ''
    messages.set(key, texts)
  }
  return [...messages.values()].map((texts) => texts.join(''))
}

const faults: readonly (readonly [FaultName, FaultSettings[FaultName] & object])[] = [
  ['submit-answer-lost', {}],
  ['submit-hang', { forMs: 90_000 }],
  ['submit-hang', { forMs: 10_000, answered: true }],
  ['submit-slow', { delayMs: 30_000 }],
  ['submit-error', {}],
  ['submit-error', { accepted: true }],
  ['submit-port-drop', { accepted: true, forMs: 5_000 }],
  ['submit-port-drop', { accepted: false, forMs: 5_000 }],
  ['submit-reboot', { accepted: true }],
  ['submit-reboot', { accepted: false }],
  ['delete-refused', {}],
  ['web-deletes-partly', {}],
  ['web-deletes-partly', { deletes: 0 }],
  ['web-deletes-partly', { refused: true }],
  ['web-sessions-lost', {}],
  ['web-late', { delayMs: 15_000, path: '' }],
  ...(['web-lost', 'web-cut', 'web-rubbish', 'web-huge', 'web-redirect'] as const).flatMap((name) =>
    ['', 'send-sms', 'send-status', 'sms-list', 'delete-sms'].map((path) => [name, { path }] as const),
  ),
]
