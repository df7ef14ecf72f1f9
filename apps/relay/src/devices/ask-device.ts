import type { Command } from '@smsgw/contract/link/command'
import type { WakeHint } from '../agents/wake-hint.ts'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import { noSuchDevice } from './no-such-device.ts'

export interface AskDeviceNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly hints: {
    wake(deviceIds: readonly string[]): void
    listen(listener: (hint: WakeHint) => boolean | undefined): () => void
  }
}

export interface Question {
  readonly accountId: string
  readonly deviceId: string
  /** Everything but its id. */
  readonly command: (cmdId: string) => Command
  readonly limitMs: number
  /** What the caller is told when the device is not connected. */
  readonly absent: () => ApiError
}

/**
 * Asks a device that may be connected to any replica: a command waits for it like all others, and its answer is waited for
 * here. A hint tells of it at once, and a look every second when the hint was lost. Undefined: no answer came in time.
 */
export async function askDevice(needs: AskDeviceNeeds, question: Question): Promise<unknown> {
  const { database, clock } = needs
  const { accountId, deviceId, command, limitMs } = question
  await refuseAbsent(needs, question)
  const cmdId = newId(needs.random)
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + limitMs)
  await database.deviceCommand.create({
    data: { cmdId, deviceId, accountId, command: command(cmdId), createdAt: now, expiresAt },
    select: { cmdId: true },
  })
  try {
    return await answered(needs, question, cmdId)
  } finally {
    await database.deviceCommand.deleteMany({ where: { cmdId, accountId } })
  }
}

async function refuseAbsent({ database, clock }: AskDeviceNeeds, { accountId, deviceId, absent }: Question) {
  const device = await database.device.findFirst({
    where: { id: deviceId, accountId, deletedAt: null },
    select: { leaseUntil: true },
  })
  if (device === null) throw noSuchDevice()
  if (device.leaseUntil === null || device.leaseUntil <= clock.now()) throw absent()
}

async function answered(
  { database, hints }: AskDeviceNeeds,
  { accountId, deviceId, limitMs }: Question,
  cmdId: string,
): Promise<unknown> {
  let isTold = false
  let wake: () => void = () => undefined
  const stop = hints.listen((hint) => {
    if (hint.kind !== 'answered' || hint.cmdId !== cmdId) return undefined
    isTold = true
    wake()
    return undefined
  })
  try {
    hints.wake([deviceId])
    const until = performance.now() + limitMs
    while (performance.now() < until) {
      const row = await database.deviceCommand.findFirst({ where: { cmdId, accountId }, select: { answer: true } })
      if (row === null) throw new ApiError(404, 'The device was deleted meanwhile')
      if (row.answer !== null) return row.answer
      // Told while it looked: there is nothing to wait for.
      if (isTold) {
        isTold = false
        continue
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS)
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

const LOOK_MS = 1_000
