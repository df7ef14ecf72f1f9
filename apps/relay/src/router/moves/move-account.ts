// Moves an account to another cell while it is in use.
//
//   hold ── drain ── fence ── copy ── switch ── clean ── finished
//    └───────┴────────┴────────┴── cancelled
//
// Each step is recorded in the directory after it is complete, and may be repeated. So a move that was killed continues
// with the step that it was doing. Until the copy is recorded, the source has all data, and the move can be cancelled.
// From then on, the target has all data. Requests wait from `drain` to `switch`.
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '@smsgw/daemon/start-error'
import type { Client, Pool } from 'pg'
import { removeAccount } from '../../accounts/remove-account.ts'
import type { Clock } from '../../clock.ts'
import { databaseClient, NO_TIMEOUTS } from '../../store/connection/database-client.ts'
import { connectDatabase, type Database } from '../../store/database.ts'
import { drainFeed } from '../directory/cell-feed.ts'
import { type Cell, removeRouter } from '../directory/directory.ts'
import { openPool } from '../directory/open-pool.ts'
import { refuseDifferentTables } from './compare-tables.ts'
import { copyAccount } from './copy-account.ts'
import {
  awaitNotifications,
  fenceAgents,
  holdWebhooks,
  type NewestKeys,
  readAttachedDevices,
  readNewest,
  readReconnected,
  resumeWebhooks,
} from './fence-account.ts'
import { LockLost, type MoveLock, MoveTaken, withMoveLock } from './lock-move.ts'
import {
  type AccountMove,
  readLateRouters,
  recordCancel,
  recordEnd,
  recordStep,
  recordSwitch,
  refreshMove,
  refuseOwner,
  startDrain,
} from './move-records.ts'

export interface MoveDeps {
  readonly directory: Pool
  readonly cells: readonly Cell[]
  readonly clock: Clock
  /** The lifetime of the longest token. */
  readonly longestTokenSeconds: number
  /** Routers that have ended without removing their row. The move removes it. */
  readonly withoutRouters: readonly string[]
  /** Called before each step. */
  readonly onStep?: (move: AccountMove) => unknown
  readonly onWarning?: (text: string) => unknown
}

/**
 * A router that has not reported for this time may be cut off from the directory and still send requests to the source.
 */
const SILENT_SECONDS = 15
const LONGEST_DRAIN_MS = 60_000
const POLL_MS = 50
const NOTIFICATIONS_MS = 5_000
const CONNECT_MS = 10_000
const FEED_MS = 30_000

/** Continues a move until it is finished. If a step before the copy fails, the account stays in its cell. */
export function continueMove(deps: MoveDeps, begun: AccountMove): Promise<AccountMove> {
  return withMoveLock(deps.directory, begun, async (lock) => {
    let move = await refreshMove(deps.directory, begun)
    const source = await openCell(deps, move.source)
    try {
      await inCell(deps, move.target, async (target) => {
        while (move.step !== 'finished') {
          await deps.onStep?.(move)
          await lock.check()
          move = await STEPS[move.step]({ ...deps, source, target, lock }, move)
        }
      })
      return move
    } catch (error) {
      if (!CANCELLABLE.has(move.step) || STOPS.some((Stop) => error instanceof Stop)) throw error
      await cancel({ ...deps, source, lock }, move).catch((second) => {
        throw new Error(`${messageOf(error)}. The move could not be cancelled either: ${messageOf(second)}`, {
          cause: error,
        })
      })
      throw error
    } finally {
      await source.close()
    }
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Thrown by `onStep` in tests, in place of a killed process. */
export class Interrupted extends Error {}

/** Errors after which the command changes nothing more. */
const STOPS = [Interrupted, MoveTaken, LockLost]

/** Returns the account to its cell. */
export function cancelMove(deps: MoveDeps, begun: AccountMove): Promise<AccountMove> {
  return withMoveLock(deps.directory, begun, async (lock) => {
    const move = await refreshMove(deps.directory, begun)
    if (!CANCELLABLE.has(move.step))
      throw new StartError(
        `the account ${move.username} is already in the cell ${move.target}: repeat the command without --cancel to finish the move`,
      )
    return await inCell(deps, move.source, (source) => cancel({ ...deps, source, lock }, move))
  })
}

const CANCELLABLE: ReadonlySet<AccountMove['step']> = new Set(['hold', 'drain', 'fence', 'copy'])

interface OpenCell {
  readonly client: Client
  readonly database: Database
  readonly feed: Pool
  close(): Promise<void>
}

interface StepDeps extends MoveDeps {
  readonly source: OpenCell
  readonly target: OpenCell
  readonly lock: MoveLock
}

const STEPS: Readonly<Record<AccountMove['step'], (deps: StepDeps, move: AccountMove) => Promise<AccountMove>>> = {
  async hold({ directory, source, target }, move) {
    await refuseDifferentTables(source.client, target.client, move)
    await holdWebhooks(source.client, move)
    return await startDrain(directory, move)
  },
  async drain(deps, move) {
    await awaitRouters(deps, move)
    return await recordStep(deps.directory, move, 'fence')
  },
  async fence({ directory, source }, move) {
    // A request may have added or resumed a webhook during the drain.
    await holdWebhooks(source.client, move)
    await fenceAgents(source.client, move.accountId)
    return await recordStep(directory, move, 'copy')
  },
  async copy(deps, move) {
    const { directory, source, target, clock, longestTokenSeconds } = deps
    // The relays of a cell may have been updated since the first step.
    await refuseDifferentTables(source.client, target.client, move)
    // The directory ignores rows of the source's feed after the move, so it must have them before.
    await drainFeed(directory, { id: move.source, pool: source.feed })
    await removeRows(deps, target, move.target, move)
    const keysUntil = new Date(clock.now().getTime() + (longestTokenSeconds + 3_600) * 1000)
    const { rows, newest } = await copyAccount({
      source: source.client,
      target: target.client,
      accountId: move.accountId,
      keysUntil,
    })
    // The deletion and the copy have added rows to the feed of the target. Drains these rows now. If they were applied
    // later, they would delete and add the same credentials again.
    await drainFeed(directory, { id: move.target, pool: target.feed })
    await refuseBypass({ source, target, newest }, move)
    await refuseAttached(source, move)
    return await recordStep(directory, move, 'switch', rows)
  },
  async switch({ directory, target }, move) {
    await resumeWebhooks(target.client, move)
    return await recordSwitch(directory, move)
  },
  async clean(deps, move) {
    const { directory, source } = deps
    await refuseAttached(source, move)
    await awaitNotifications(source.client, move.accountId, NOTIFICATIONS_MS)
    await removeRows(deps, source, move.source, move)
    return await recordEnd(directory, move)
  },
  finished: async (_, move) => move,
  cancelled: async (_, move) => {
    throw new Error(`the move of ${move.username} was cancelled`)
  },
}

/**
 * Returns the account to the source. Only the source and the directory must be reachable. The rows in the target are
 * deleted afterwards, if the target can be reached. If not, the next copy deletes them.
 */
async function cancel(deps: Omit<StepDeps, 'target'>, move: AccountMove): Promise<AccountMove> {
  const { directory, source, lock, onWarning } = deps
  await lock.check()
  // If the command is killed after the webhooks were resumed, the next command must pause them again.
  const held = move.step === 'hold' ? move : await recordStep(directory, move, 'hold')
  await resumeWebhooks(source.client, held)
  const cancelled = await recordCancel(directory, held)
  await inCell(deps, move.target, (target) => removeRows(deps, target, move.target, move)).catch((error) =>
    onWarning?.(
      `could not delete the copied rows of ${move.username} in the cell ${move.target}: ${messageOf(error)}. The next move of the account to this cell deletes them`,
    ),
  )
  return cancelled
}

/**
 * Deletes the rows of the account in the cell that does not own it: the old rows, or a copy whose end was not recorded.
 */
async function removeRows(
  { directory, lock, clock }: Pick<StepDeps, 'directory' | 'lock' | 'clock'>,
  { database }: OpenCell,
  cell: string,
  move: AccountMove,
): Promise<void> {
  const { accountId } = move
  if ((await database.account.count({ where: { id: accountId } })) === 0) return
  await lock.check()
  await refuseOwner(directory, move, cell)
  await removeAccount(database, clock, accountId)
}

/** Waits until every router holds the account and has no request of it in progress. */
async function awaitRouters({ directory, withoutRouters }: MoveDeps, { accountId }: AccountMove): Promise<void> {
  // If such a router is in fact still running, it writes its row again. Then the move waits for this router.
  for (const id of withoutRouters) await removeRouter(directory, id)
  const giveUpAt = performance.now() + LONGEST_DRAIN_MS
  for (;;) {
    const late = await readLateRouters(directory, accountId)
    if (late.length === 0) return
    const silent = late.find(({ silentSeconds }) => silentSeconds > SILENT_SECONDS)
    if (silent !== undefined || performance.now() > giveUpAt) {
      const { id, silentSeconds } = silent ?? late[0] ?? { id: '', silentSeconds: 0 }
      throw new StartError(
        `router ${id} has not confirmed the move; its last report is ${silentSeconds} s old. If this router has ended, ` +
          `repeat the command with --without-router=${id}; otherwise check its connection to the directory`,
      )
    }
    await sleep(POLL_MS)
  }
}

async function refuseAttached({ client }: OpenCell, move: AccountMove): Promise<void> {
  const names = await readAttachedDevices(client, move.accountId)
  if (names.length === 0) return
  throw new StartError(attachedText(move, names))
}

function attachedText({ username, source }: AccountMove, names: readonly string[]): string {
  return (
    `devices of ${username} are connected to the cell ${source} without a router: ${names.slice(0, 5).join(', ')}. ` +
    'Set RELAY_URL of their agents to the address of the router, then repeat the command'
  )
}

/** Throws if an agent, a phone or a caller used the source without a router after the rows were copied. */
async function refuseBypass(
  { source, target, newest }: { readonly source: OpenCell; readonly target: OpenCell; readonly newest: NewestKeys },
  move: AccountMove,
): Promise<void> {
  const { accountId } = move
  const names = await readReconnected(source.client, target.client, accountId)
  if (names.length > 0) throw new StartError(attachedText(move, names))
  const now = await readNewest(source.client, accountId)
  if (now[0] > newest[0] || now[1] > newest[1])
    throw new StartError(
      `during the move, the cell ${move.source} accepted messages of ${move.username} that did not come through a router. ` +
        'Make its relays reachable only for routers, then repeat the command',
    )
}

async function inCell<T>(deps: Pick<MoveDeps, 'cells'>, id: string, work: (cell: OpenCell) => Promise<T>): Promise<T> {
  const cell = await openCell(deps, id)
  try {
    return await work(cell)
  } finally {
    await cell.close()
  }
}

async function openCell({ cells }: Pick<MoveDeps, 'cells'>, id: string): Promise<OpenCell> {
  const cell = cells.find((one) => one.id === id)
  if (cell === undefined) throw new StartError(`the directory has no cell ${id}`)
  const { databaseUrl: url } = cell
  const client = databaseClient({
    url,
    application_name: 'smsgw cells',
    connectionTimeoutMillis: CONNECT_MS,
    options: `${NO_TIMEOUTS} -c timezone=UTC -c synchronous_commit=on -c bytea_output=hex -c extra_float_digits=1 -c datestyle=ISO`,
  })
  await client.connect()
  const database = connectDatabase({ url, connections: 2 })
  const feed = openPool({ url, connections: 1, name: 'smsgw cells', statementTimeoutMs: FEED_MS })
  return {
    ...{ client, database, feed },
    async close() {
      await client.end().catch(() => undefined)
      await feed.end().catch(() => undefined)
      await database.$disconnect()
    },
  }
}
