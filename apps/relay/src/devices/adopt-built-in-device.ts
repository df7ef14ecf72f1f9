import type { CoreDeps } from '../core-deps.ts'
import { newId } from '../random.ts'

export type AdoptBuiltInDeviceDeps = Pick<CoreDeps, 'database' | 'clock' | 'random'>

/**
 * Creates the device of Local Server mode and returns its id. If the device exists, replaces its key with the key of
 * the agent.
 */
export async function adoptBuiltInDevice(
  { database, clock, random }: AdoptBuiltInDeviceDeps,
  { username, publicKey, name }: { readonly username: string; readonly publicKey: string; readonly name: string },
): Promise<string> {
  return database.$transaction(async (statements) => {
    const { id: accountId } = await statements.account.findUniqueOrThrow({ where: { username }, select: { id: true } })
    const now = clock.now()
    const known = await statements.device.findFirst({ where: { accountId, builtIn: true }, select: { id: true } })
    if (known !== null) {
      await statements.device.update({
        where: { id: known.id, accountId },
        data: { publicKey, updatedAt: now, deletedAt: null },
        select: { id: true },
      })
      return known.id
    }
    const id = newId(random)
    const times = { createdAt: now, updatedAt: now, lastSeen: now }
    await statements.device.create({
      data: { id, accountId, publicKey, name, builtIn: true, ...times },
      select: { id: true },
    })
    return id
  })
}
