import type { Command } from '@smsgw/contract/link/command'
import type { Capability } from '@smsgw/contract/link/frame'
import type { CoreDeps } from '../core-deps.ts'
import type { WakeHint } from '../hints/wake-hint.ts'
import type { CallerAccess } from '../http/admissions.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { withRelayLeases } from '../link/claim/device-leases.ts'
import { isLeased } from '../link/claim/lease.ts'
import { newId } from '../random.ts'
import type { Database } from '../store/database.ts'
import { noSuchDevice } from './get-devices.ts'

export interface AskDeviceDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random'> {
  readonly hints: {
    wake(deviceIds: readonly string[]): void
    listen(listener: (hint: WakeHint) => boolean | undefined): () => void
  }
}

export interface Question {
  readonly accountId: string
  readonly deviceId: string
  /** The access of the caller. If the caller loses access, the wait ends with 401. */
  readonly access: Pick<CallerAccess, 'during'>
  /** Creates the command from its id. */
  readonly command: (cmdId: string) => Command
  readonly limitMs: number
  /** The capability that the agent needs in order to execute the command. */
  readonly requires?: Capability
  /** Returns the error for a device that is not connected. */
  readonly offline: () => ApiError
}

/**
 * Sends a command to a device, which may be connected to any relay, and waits for the answer. A hint reports the answer
 * at once; if the hint is lost, a query every second finds the answer. Returns undefined when no answer arrived in
 * time.
 */
export async function askDevice(deps: AskDeviceDeps, question: Question): Promise<unknown> {
  const { database, clock } = deps
  const { accountId, deviceId, command, limitMs } = question
  await refuseOffline(deps, question)
  const cmdId = newId(deps.random)
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + limitMs)
  await database.deviceCommand.create({
    data: { cmdId, deviceId, accountId, command: command(cmdId), createdAt: now, expiresAt },
    select: { cmdId: true },
  })
  try {
    return await question.access.during(() => waitForAnswer(deps, question, cmdId))
  } finally {
    await database.deviceCommand.deleteMany({ where: { cmdId, accountId } })
  }
}

async function refuseOffline(
  { database, clock }: AskDeviceDeps,
  { accountId, deviceId, requires, offline }: Question,
): Promise<void> {
  const devices = await database.device.findMany({
    where: { id: deviceId, accountId, deletedAt: null },
    select: { relayId: true, leaseUntil: true, phoneTokenHash: true, connEpoch: true, ...CAPABILITIES },
  })
  const [device] = await withRelayLeases(database, devices)
  if (device === undefined) throw noSuchDevice()
  if (device.phoneTokenHash !== null) throw new ApiError(409, 'This device is a phone and cannot do this')
  if (!isLeased(device.leaseUntil, clock.now())) throw offline()
  const supported = device.capabilitiesEpoch === device.connEpoch ? device.capabilities : []
  if (requires !== undefined && !supported.includes(requires))
    throw new ApiError(409, 'The agent of this device is too old for this request: update the agent', {
      reason: 'agent_too_old',
    })
}

const CAPABILITIES = { capabilities: true, capabilitiesEpoch: true } as const

async function waitForAnswer(
  { database, hints }: AskDeviceDeps,
  { accountId, deviceId, limitMs }: Question,
  cmdId: string,
): Promise<unknown> {
  let isAnswered = false
  let wake: () => void = () => undefined
  const stop = hints.listen((hint) => {
    if (hint.kind !== 'answered' || hint.cmdId !== cmdId) return undefined
    isAnswered = true
    wake()
    return undefined
  })
  try {
    hints.wake([deviceId])
    const until = performance.now() + limitMs
    while (performance.now() < until) {
      const row = await database.deviceCommand.findFirst({ where: { cmdId, accountId }, select: { answer: true } })
      if (row === null) throw new ApiError(404, 'The device was deleted during the request')
      if (row.answer !== null) return row.answer
      // If the hint arrived during the query, the next query follows at once.
      if (isAnswered) {
        isAnswered = false
        continue
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return undefined
  } finally {
    stop()
  }
}

const POLL_MS = 1_000

/**
 * Deletes commands that were answered or expired before this time. The requests that waited for these commands have
 * already ended.
 */
export async function deleteOldDeviceCommands(database: Database, before: Date): Promise<number> {
  const { count } = await database.deviceCommand.deleteMany({
    where: { OR: [{ answeredAt: { lt: before } }, { expiresAt: { lt: before } }] },
  })
  return count
}
