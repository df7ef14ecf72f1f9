import type { Command } from '@smsgw/contract/link/command'
import type { Clock } from '../clock.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'

/** An agent that comes back later has swept by itself when it started. */
const SWEEP_LIFETIME_MS = 3_600_000

/** A sweep that waits to be told to its device does for everybody who asks until then. */
export async function askForSweeps(
  { database, clock, random }: { readonly database: Database; readonly clock: Clock; readonly random: Random },
  accountId: string,
  deviceIds: readonly string[],
): Promise<void> {
  const now = clock.now()
  const waiting = await database.deviceCommand.findMany({
    where: {
      accountId,
      deviceId: { in: [...deviceIds] },
      dispatchedAt: null,
      answeredAt: null,
      expiresAt: { gt: now },
      command: { path: ['kind'], equals: 'sweep' },
    },
    select: { deviceId: true },
  })
  const asked = new Set(waiting.map(({ deviceId }) => deviceId))
  const commands = deviceIds.filter((id) => !asked.has(id)).map((deviceId) => sweep(deviceId, newId(random)))
  const times = { accountId, createdAt: now, expiresAt: new Date(now.getTime() + SWEEP_LIFETIME_MS) }
  await database.deviceCommand.createMany({ data: commands.map((command) => ({ ...command, ...times })) })
}

function sweep(deviceId: string, cmdId: string) {
  return { deviceId, cmdId, command: { kind: 'sweep', cmdId } satisfies Command }
}
