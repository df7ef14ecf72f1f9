import type { Database } from '../store/database.ts'

/** What was answered or expired before: whoever waited has read it. Works for every account. */
export async function forgetDeviceCommands(database: Database, before: Date): Promise<number> {
  const { count } = await database.deviceCommand.deleteMany({
    where: { OR: [{ answeredAt: { lt: before } }, { expiresAt: { lt: before } }] },
  })
  return count
}
