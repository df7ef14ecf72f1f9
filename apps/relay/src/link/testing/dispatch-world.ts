import type { SimCard } from '@smsgw/contract/link/event'
import type { MessageState } from '@smsgw/contract/messages/message-states'
import type { Database } from '../../store/database.ts'
import { type ArrivingAgent, type ClaimedConnection, openConnection } from '../claim/open-connection.ts'
import { storeSims } from '../claim/store-sims-statement.ts'

/** Short helpers for tests that create accounts, devices, messages and webhooks. */
export interface DispatchWorld {
  readonly now: Date
  /** Advances the clock of the tested functions. */
  pass(seconds: number): Date
  account(id: string, settings?: object): Promise<void>
  device(id: string, accountId?: string): Promise<void>
  /** Sets the SIMs that `device` reported last. */
  sims(sims: readonly SimCard[]): Promise<void>
  webhook(event: string, accountId?: string): Promise<void>
  /** Connects an agent of `device` to `relay`, with `journal`. All three have defaults. */
  connect(about?: Partial<ArrivingAgent> & { readonly relayId?: string }): Promise<ClaimedConnection>
  /** Stores a message with a recipient for each number. The command ids of the recipients are `<id>/0`, `<id>/1`, …. */
  message(id: string, about?: MessageAbout): Promise<void>
  recipient(cmdId: string): Promise<Progress>
  messageState(id: string): Promise<MessageState>
  /** Returns the webhook deliveries in order, as `<event> <message id>`. */
  outbox(): Promise<string[]>
}

interface MessageAbout {
  readonly deviceId?: string
  readonly accountId?: string
  readonly numbers?: number
  readonly simNumber?: number
  readonly priority?: number
  /** When a scheduled message is due. */
  readonly scheduleAt?: Date
  readonly validUntil?: Date
  readonly journal?: string
}

type Progress = NonNullable<Awaited<ReturnType<Database['recipient']['findUnique']>>>

/** Deletes the previous world in the database and creates a new one. */
export async function dispatchWorld(database: Database): Promise<DispatchWorld> {
  await database.account.deleteMany()
  let now = new Date('2026-03-01T12:00:00.000Z')
  const world: DispatchWorld = {
    get now() {
      return now
    },
    pass(seconds) {
      now = new Date(now.getTime() + seconds * 1000)
      return now
    },
    async account(id, settings = {}) {
      await database.account.create({ data: { id, username: id, passwordHash: '', settings } })
    },
    async device(id, accountId = 'account') {
      await database.device.create({ data: { id, accountId, name: id, publicKey: id } })
    },
    sims: (sims) => storeSims(database, 'device', sims, now),
    async webhook(event, accountId = 'account') {
      const id = `${accountId} ${event}`
      await database.webhook.create({ data: { id, accountId, url: 'https://a.example', event, secretSealed: '' } })
    },
    async connect({ relayId = 'relay', ...about } = {}) {
      const agent = { accountId: 'account', deviceId: 'device', journalId: 'journal', bootId: 'boot', ...about }
      const opened = await openConnection(
        database,
        { agentVersion: '1.0.0', capabilities: [], sims: [], ...agent },
        { relayId, leaseMs: 60_000, now },
      )
      if (opened === undefined) throw new Error(`there is no device ${agent.deviceId}`)
      return opened
    },
    async message(id, about = {}) {
      const { deviceId = 'device', accountId = 'account', numbers = 1, priority = 0, scheduleAt, journal } = about
      const validUntil = about.validUntil ?? null
      await database.message.create({
        data: {
          id,
          accountId,
          deviceId,
          createdAt: now,
          text: `text of ${id}`,
          simNumber: about.simNumber ?? null,
          priority,
          scheduleAt: scheduleAt ?? null,
          validUntil,
          recipients: {
            create: Array.from({ length: numbers }, (_, position) => ({
              cmdId: `${id}/${position}`,
              accountId,
              deviceId,
              position,
              phoneNumber: `+4915112340${position}`,
              priority,
              dueAt: scheduleAt ?? now,
              notBefore: scheduleAt ?? new Date(0),
              validUntil,
              ...(journal !== undefined && { dispatchedJournal: journal, dispatchedAt: now }),
            })),
          },
        },
      })
    },
    recipient: (cmdId) => database.recipient.findUniqueOrThrow({ where: { cmdId } }),
    async messageState(id) {
      const { state } = await database.message.findFirstOrThrow({ where: { id } })
      return state
    },
    async outbox() {
      const rows = await database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
      return rows.map(({ event, payload }) => `${event} ${(payload as { messageId?: string }).messageId ?? ''}`.trim())
    },
  }
  await world.account('account')
  await world.device('device')
  return world
}
