import type { SimCard } from '@smsgw/contract/link/event'
import { advanceMessages } from '../messages/advance-messages.ts'
import type { Database, Statements } from '../store/database.ts'
import type { AgentConnection } from './agent-connection.ts'
import { storeSims } from './store-sims.ts'

export interface ArrivingAgent {
  readonly accountId: string
  readonly deviceId: string
  readonly journalId: string
  readonly bootId: string
  readonly agentVersion: string
  readonly sims: readonly SimCard[]
}

export interface OpenedConnection {
  readonly connection: AgentConnection
  /** What is stored of this journal, and the tag of the last of it. */
  readonly mark: number
  readonly markTag: string | undefined
  /** The device has shown a newer journal since: this one is an old copy. It is given nothing. */
  readonly isRetired: boolean
  /** Of the connection before this one. */
  readonly previousBootId: string | undefined
  /** The relay that held the connection before, if it may still be alive: it is to be told. */
  readonly displacedRelayId: string | undefined
}

export interface OpenConnectionOptions {
  /** This process. */
  readonly relayId: string
  /** For how long the connection may be believed without being renewed. */
  readonly leaseMs: number
  readonly now: Date
}

/**
 * Makes this the only connection of the device. Undefined: there is no such device (any more).
 *
 * The update of the device waits for claims and events of the connection before, which hold it, and is what fences those
 * that come later; so the mark, read after it, is final, and nothing is claimed that `unacknowledgedCommands` then misses.
 *
 * A journal that the device shows for the first time has taken the place of the one before, which is gone, or was found to
 * be an old copy. What that one was given and did not finish is in doubt from here on, told or not: an acknowledgement may
 * have been lost with it.
 */
export function openConnection(
  database: Database,
  agent: ArrivingAgent,
  { relayId, leaseMs, now }: OpenConnectionOptions,
): Promise<OpenedConnection | undefined> {
  return database.$transaction(async (statements) => {
    const before = await lockDevice(statements, agent)
    if (before === undefined) return undefined
    const journal = await knownJournal(statements, agent)
    const isNew = journal === undefined
    if (isNew) await beginJournal(statements, agent, now)
    if (isNew && before.journalId !== null) await doubtOpenSends(statements, agent, now)
    const { deviceId, accountId, journalId, bootId, agentVersion } = agent
    await statements.device.update({
      where: { id: deviceId, accountId },
      data: {
        connEpoch: before.connEpoch + 1n,
        relayId,
        leaseUntil: new Date(now.getTime() + leaseMs),
        lastSeen: now,
        connectedAt: now,
        bootId,
        agentVersion,
        ...(isNew && { journalId }),
      },
      select: { id: true },
    })
    await storeSims(statements, deviceId, agent.sims, now)
    return {
      connection: { accountId, deviceId, journalId, connEpoch: Number(before.connEpoch) + 1 },
      mark: Number(journal?.mark ?? 0),
      markTag: journal?.markTag ?? undefined,
      isRetired: !isNew && before.journalId !== journalId,
      previousBootId: before.bootId ?? undefined,
      displacedRelayId: displacedRelay(before, now),
    }
  })
}

interface DeviceBefore {
  readonly connEpoch: bigint
  readonly journalId: string | null
  readonly bootId: string | null
  readonly relayId: string | null
  readonly leaseUntil: Date | null
}

async function lockDevice(
  statements: Statements,
  { deviceId, accountId }: ArrivingAgent,
): Promise<DeviceBefore | undefined> {
  const [device] = await statements.$queryRaw<DeviceBefore[]>`
    SELECT conn_epoch AS "connEpoch", journal_id AS "journalId", boot_id AS "bootId", relay_id AS "relayId",
      lease_until AS "leaseUntil"
    FROM devices WHERE id = ${deviceId} AND account_id = ${accountId} AND deleted_at IS NULL
    FOR NO KEY UPDATE`
  return device
}

async function knownJournal(statements: Statements, { deviceId, journalId }: ArrivingAgent) {
  const journal = await statements.deviceJournal.findUnique({ where: { deviceId_journalId: { deviceId, journalId } } })
  return journal ?? undefined
}

async function beginJournal(statements: Statements, { deviceId, journalId }: ArrivingAgent, now: Date): Promise<void> {
  await statements.deviceJournal.create({ data: { deviceId, journalId, createdAt: now }, select: { mark: true } })
}

async function doubtOpenSends(
  statements: Statements,
  { accountId, deviceId, journalId }: ArrivingAgent,
  now: Date,
): Promise<void> {
  const rows = await statements.$queryRaw<{ cmdId: string }[]>`
    SELECT cmd_id AS "cmdId" FROM recipients
    WHERE device_id = ${deviceId} AND account_id = ${accountId} AND dispatched_journal <> ${journalId}
      AND state IN ('Pending', 'Cancelling', 'Processed')`
  const reason = 'the device lost the record of what it sent'
  const input = { kind: 'waiting', at: now, code: 'outcome_unknown', reason } as const
  await advanceMessages(
    statements,
    rows.map(({ cmdId }) => ({ accountId, deviceId, cmdId, input })),
    now,
  )
}

function displacedRelay({ relayId, leaseUntil }: DeviceBefore, now: Date): string | undefined {
  return relayId !== null && leaseUntil !== null && leaseUntil > now ? relayId : undefined
}
