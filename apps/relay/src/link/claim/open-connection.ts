import type { AliasKey, EncryptionKey, SimCard } from '@smsgw/contract/link/event'
import type { Capability } from '@smsgw/contract/link/frame'
import { storeAliasKeys } from '../../devices/alias-keys.ts'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Database } from '../../store/database.ts'
import { type RawStatements, rawTransaction } from '../../store/raw-statements.ts'
import type { AgentConnection } from './agent-connection.ts'
import { findOpenSends } from './find-open-sends-statement.ts'
import { isLeased } from './lease.ts'
import { type DeviceBefore, lockDevice } from './lock-device-statement.ts'
import { type ReportedJournal, recordConnection } from './record-connection-statement.ts'
import { reopenConnection } from './reopen-connection-statement.ts'

export interface ArrivingAgent {
  readonly accountId: string
  readonly deviceId: string
  readonly journalId: string
  readonly bootId: string
  readonly agentVersion: string
  readonly capabilities: readonly Capability[]
  readonly sims: readonly SimCard[]
  /** The encryption key. Undefined for older agents. */
  readonly encryptionKey?: EncryptionKey | undefined
  /** The key of the aliases. Undefined while the agent makes no aliases. */
  readonly aliasKey?: AliasKey | undefined
}

export interface ClaimedConnection {
  readonly connection: AgentConnection
  /** The stored mark of this journal. `markTag` is the tag of the event at the mark. */
  readonly mark: number
  readonly markTag: string | undefined
  /** True if the device has already reported a newer journal. Then this journal is an old copy and gets no commands. */
  readonly isRetired: boolean
  /** Boot id of the previous connection. */
  readonly previousBootId: string | undefined
  /** The relay of the previous connection, if this relay may still be running and has to be notified. */
  readonly displacedRelayId: string | undefined
}

export interface OpenConnectionOptions {
  /** Identifies this process. */
  readonly relayId: string
  /** How long the connection counts as alive without a renewal. */
  readonly leaseMs: number
  readonly now: Date
}

/**
 * Makes this connection the only connection of the device. Returns undefined when the device does not exist.
 *
 * Claims and events of the previous connection lock the device, so this lock waits for them; later claims and events of
 * that connection are refused. The mark is read while the device is locked, so the mark is final, and
 * `readUnacknowledgedCommands` sees every claim. In the usual case, one statement does all of this, because thousands
 * of agents arrive at the same time when another relay stops.
 *
 * A journal that the device reports for the first time replaces the previous journal, which is lost or was an old copy.
 * Unfinished messages of the previous journal are in doubt from now on, whether they were acknowledged or not, because
 * an acknowledgement may have been lost with the journal.
 */
export async function openConnection(
  database: Database,
  agent: ArrivingAgent,
  options: OpenConnectionOptions,
): Promise<ClaimedConnection | undefined> {
  // Keys of aliases need further statements.
  const reopened = agent.aliasKey === undefined ? await reopenConnection(database, agent, options) : undefined
  if (reopened === undefined) return await openInTransaction(database, agent, options)
  return { ...claimed(agent, reopened.connEpoch, reopened, options.now), ...storedMark(reopened), isRetired: false }
}

function openInTransaction(
  database: Database,
  agent: ArrivingAgent,
  { relayId, leaseMs, now }: OpenConnectionOptions,
): Promise<ClaimedConnection | undefined> {
  return rawTransaction(database, async (statements) => {
    const before = await lockDevice(statements, agent)
    if (before === undefined) return undefined
    const connEpoch = before.connEpoch + 1n
    const journal = await recordConnection(statements, { ...agent, connEpoch }, { relayId, leaseMs, now })
    const isNew = journal.mark === null
    if (isNew && before.journalId !== null) await doubtOpenSends(statements, agent, now)
    if (agent.aliasKey !== undefined) await storeAliasKeys(statements, agent, [agent.aliasKey])
    const isRetired = !isNew && before.journalId !== agent.journalId
    return { ...claimed(agent, connEpoch, before, now), ...storedMark(journal), isRetired }
  })
}

function claimed(
  { deviceId, accountId, journalId }: ArrivingAgent,
  connEpoch: bigint,
  before: Pick<DeviceBefore, 'bootId' | 'relayId' | 'leaseUntil'>,
  now: Date,
): Pick<ClaimedConnection, 'connection' | 'previousBootId' | 'displacedRelayId'> {
  return {
    connection: { accountId, deviceId, journalId, connEpoch: Number(connEpoch) },
    previousBootId: before.bootId ?? undefined,
    displacedRelayId: displacedRelay(before, now),
  }
}

function storedMark({ mark, markTag }: ReportedJournal): Pick<ClaimedConnection, 'mark' | 'markTag'> {
  return { mark: Number(mark ?? 0), markTag: markTag ?? undefined }
}

async function doubtOpenSends(
  statements: RawStatements,
  { accountId, deviceId, journalId }: ArrivingAgent,
  now: Date,
): Promise<void> {
  const open = await findOpenSends(statements, { accountId, deviceId, journalId })
  const reason = 'the device lost its record of sent messages'
  const input = { kind: 'waiting', at: now, code: 'outcome_unknown', reason } as const
  await advanceMessages(
    statements,
    open.map(({ cmdId }) => ({ accountId, deviceId, cmdId, input })),
    now,
  )
}

function displacedRelay(
  { relayId, leaseUntil }: Pick<DeviceBefore, 'relayId' | 'leaseUntil'>,
  now: Date,
): string | undefined {
  return relayId !== null && isLeased(leaseUntil, now) ? relayId : undefined
}
