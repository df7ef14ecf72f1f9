import type { ManualClock } from '@smsgw/virtual-modem/manual-clock'

/**
 * Lets virtual time pass, from one thing that is due to the next, until it is enough or so much has passed. All promises
 * settle in between, however long their chains are: a turn of the event loop comes behind all of them.
 */
export async function passTime(
  clock: ManualClock,
  mostMs: number,
  isEnough: () => boolean = () => false,
): Promise<boolean> {
  const untilMs = clock.nowMs() + mostMs
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    if (isEnough()) return true
    const dueMs = clock.nextAtMs
    if (dueMs === undefined || dueMs > untilMs) break
    clock.advance(dueMs - clock.nowMs())
  }
  clock.advance(untilMs - clock.nowMs())
  return isEnough()
}
