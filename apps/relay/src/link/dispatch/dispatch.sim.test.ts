import type { Command } from '@smsgw/contract/link/command'
import type { MessageState } from '@smsgw/contract/messages/message-states'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordEvents } from '../../ingest/record-events.ts'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import { messageStateOf } from '../../messages/progress/message-state.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { endLostJournals, loseSilentDevices } from '../claim/lose-messages.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { type Fate, fates, ModelAgent } from '../testing/model-agent.ts'
import { claimCommands } from './claim-commands-statement.ts'
import { readUnacknowledgedCommands } from './read-unacknowledged-statement.ts'

// Random histories of one device: API requests, actions and events of the device, lost frames, broken connections, lost
// journals and advancing clocks. fast-check prints the seed and the shortest failing history. SMSGW_HISTORIES sets the
// number of histories.

const store = useTestDatabase()

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('accept' as const), numbers: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), message: fc.nat(9) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      sends: fc.integer({ min: 0, max: 4 }),
      fate: fc.constantFrom(...(Object.keys(fates) as Fate[])),
      isLost: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.constant({ kind: 'work' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      again: fc.nat(3),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), isLost: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'lose-journal' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'silence' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'doubt-ends' as const }) },
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

const day = 24 * 3600

/** A device and the observed states of its messages. */
class History {
  readonly #world: DispatchWorld
  readonly #agent = new ModelAgent()
  readonly #journalOf = new Map<string, string>()
  #connection!: AgentConnection
  #stale: AgentConnection[] = []
  #messages = 0
  #seen = new Map<string, Row>()

  constructor(world: DispatchWorld) {
    this.#world = world
  }

  async take(step: Step): Promise<void> {
    const { database } = store
    switch (step.kind) {
      case 'accept':
        await this.#world.message(`m${this.#messages}`, { numbers: step.numbers })
        this.#messages += 1
        break
      case 'cancel':
        await this.#cancel(step.message)
        break
      case 'claim': {
        const room = { sends: step.sends, urgentSends: step.sends, others: 8 }
        this.#give(await claimCommands(database, this.#connection, room, this.#world.now), step.isLost, step.fate)
        break
      }
      case 'work':
        this.#agent.work()
        break
      case 'record':
        await this.#record(step.again, step.count)
        break
      case 'reconnect':
        await this.connect(step.isLost)
        break
      case 'lose-journal':
        this.#agent.loseJournal()
        await this.connect(false)
        break
      case 'silence':
        this.#world.pass(8 * day)
        await loseSilentDevices(database, { afterExpiryMs: day * 1000, silenceMs: 7 * day * 1000 }, this.#world.now)
        break
      case 'doubt-ends':
        await endLostJournals(database, 0, this.#world.now)
    }
    await this.#check()
  }

  async connect(isLost: boolean): Promise<void> {
    if (this.#connection) this.#stale.push(this.#connection)
    this.#connection = (await this.#world.connect({ journalId: this.#agent.journalId })).connection
    this.#give(await readUnacknowledgedCommands(store.database, this.#connection, this.#world.now), isLost, 'delivered')
    for (const stale of this.#stale) {
      const room = { sends: 9, urgentSends: 9, others: 9 }
      expect(await claimCommands(store.database, stale, room, this.#world.now)).toEqual([])
    }
  }

  /** After all frames have arrived and all events are stored, the device's states are final. */
  async settle(): Promise<void> {
    await this.connect(false)
    for (let round = 0; round < 5; round += 1) {
      const room = { sends: 100, urgentSends: 100, others: 100 }
      this.#give(await claimCommands(store.database, this.#connection, room, this.#world.now), false, 'delivered')
      this.#agent.work()
    }
    await this.#record(0, 1_000)
    await endLostJournals(store.database, 0, this.#world.now)
    await this.#check()
    const rows = await this.#rows()
    for (const [cmdId, fact] of this.#agent.done) {
      const { state, errorCode } = rows.get(cmdId) as Row
      if (fact === 'sent' || fact === 'delivered')
        expect([cmdId, state]).toEqual([cmdId, fact === 'sent' ? 'Sent' : 'Delivered'])
      else if (fact === 'cancelled')
        expect([cmdId, state === 'Cancelled' || errorCode === 'device_lost']).toEqual([cmdId, true])
      else expect([cmdId, state]).toEqual([cmdId, 'Failed'])
    }
    for (const { state } of rows.values()) expect(state).not.toBe('Pending')
  }

  #give(commands: readonly Command[], isLost: boolean, fate: Fate): void {
    for (const { kind, cmdId } of commands) {
      const owner = this.#journalOf.get(cmdId) ?? this.#agent.journalId
      expect([kind, cmdId, owner]).toEqual([kind, cmdId, this.#agent.journalId])
      this.#journalOf.set(cmdId, owner)
    }
    if (!isLost) this.#agent.take(commands, fate)
  }

  async #cancel(message: number): Promise<void> {
    const recipients = await store.database.recipient.findMany({ where: { message: { id: `m${message}` } } })
    const input = { kind: 'cancel-requested', at: this.#world.now } as const
    const updates = recipients.map(({ cmdId }) => ({ accountId: 'account', cmdId, input }))
    await store.database.$transaction((statements) => advanceMessages(statements, updates, this.#world.now))
  }

  async #record(again: number, count: number): Promise<void> {
    const { deviceId, journalId } = this.#connection
    const where = { deviceId_journalId: { deviceId, journalId } }
    const mark = Number((await store.database.deviceJournal.findUniqueOrThrow({ where })).mark)
    const from = Math.max(1, mark + 1 - again)
    const batch = this.#agent.batch(this.#connection, from, count)
    if (batch.events.length === 0) return
    const stale = this.#stale.map((connection) => ({ ...batch, connection }))
    for (const one of stale) expect(await this.#outcome(one)).toEqual({ kind: 'fenced' })
    const upto = Math.max(mark, from + batch.events.length - 1)
    expect(await this.#outcome(batch)).toEqual({ kind: 'stored', mark: upto })
  }

  async #outcome(batch: Parameters<typeof recordEvents>[1][number]) {
    const [recorded] = await recordEvents(store.database, [batch], this.#world.now)
    return recorded?.status === 'fulfilled' ? recorded.value.result : recorded
  }

  async #rows(): Promise<Map<string, Row>> {
    const rows = await store.database.recipient.findMany({
      include: { message: { select: { id: true, state: true } } },
    })
    return new Map(rows.map((row) => [row.cmdId, row]))
  }

  async #check(): Promise<void> {
    const rows = await this.#rows()
    for (const [cmdId, { state }] of rows) {
      const before = this.#seen.get(cmdId)
      if (before)
        expect([cmdId, before.state, state, mayFollow(before, state)]).toEqual([cmdId, before.state, state, true])
    }
    this.#seen = rows
    for (const ofMessage of Map.groupBy(rows.values(), ({ message }) => message.id).values()) {
      expect(ofMessage[0]?.message.state).toBe(messageStateOf(ofMessage.map(({ state }) => state)))
    }
    await this.#checkOutbox(rows)
  }

  /** Checks that each milestone is reported once, and only if the message reached it. */
  async #checkOutbox(rows: ReadonlyMap<string, Row>): Promise<void> {
    const deliveries = Map.groupBy(await store.database.webhookDelivery.findMany(), ({ event }) => event)
    const reached = (at: (row: Row) => Date | null) => [...rows.values()].filter((row) => at(row) !== null).length
    expect(deliveries.get('sms:sent')?.length ?? 0).toBe(reached(({ sentAt }) => sentAt))
    expect(deliveries.get('sms:delivered')?.length ?? 0).toBe(reached(({ deliveredAt }) => deliveredAt))
    expect(deliveries.get('sms:cancelled')?.length ?? 0).toBe(reached(({ cancelledAt }) => cancelledAt))
    // A recipient may fail twice: first with an unknown outcome, which is later corrected, and then with a refusal.
    const failures = deliveries.get('sms:failed')?.length ?? 0
    expect(failures).toBeGreaterThanOrEqual(reached(({ failedAt }) => failedAt))
    const ids = [...deliveries.values()].flat().map(({ webhookKey, id }) => `${webhookKey} ${id}`)
    expect(new Set(ids).size).toBe(ids.length)
  }
}

interface Row {
  readonly state: MessageState
  readonly errorCode: string | null
  readonly sentAt: Date | null
  readonly deliveredAt: Date | null
  readonly failedAt: Date | null
  readonly cancelledAt: Date | null
  readonly message: { readonly id: string; readonly state: MessageState }
}

function mayFollow({ state: before, errorCode }: Row, now: MessageState): boolean {
  const isIgnorance = errorCode === 'submit_unknown' || errorCode === 'device_lost'
  const next: Record<MessageState, readonly MessageState[]> = {
    Pending: ['Processed', 'Cancelling', 'Cancelled', 'Sent', 'Delivered', 'Failed'],
    Processed: ['Cancelling', 'Cancelled', 'Sent', 'Delivered', 'Failed'],
    Cancelling: ['Cancelled', 'Sent', 'Delivered', 'Failed'],
    Sent: ['Delivered', 'Failed'],
    Cancelled: [],
    Delivered: [],
    // The batch with the correction may also contain later events.
    Failed: isIgnorance ? ['Sent', 'Delivered'] : [],
  }
  return now === before || next[before].includes(now)
}

test('in every history states only move forward, each event is sent once, and no message goes to two journals', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const world = await dispatchWorld(store.database)
      for (const event of ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled']) await world.webhook(event)
      const history = new History(world)
      await history.connect(false)
      for (const step of steps) await history.take(step)
      await history.settle()
    }),
    { numRuns: Number(process.env['SMSGW_HISTORIES'] ?? 6) },
  )
})
