import type { ManualClock } from '@smsgw/virtual-modem/manual-clock'

/**
 * Lets virtual time pass, from one thing that is due to the next, until it is enough or so much has passed. All promises
 * settle in between, however long their chains are: the next tick comes when no promise is left to settle, and costs a
 * fraction of a turn of the event loop.
 */
export async function passTime(
  clock: ManualClock,
  mostMs: number,
  isEnough: () => boolean = () => false,
): Promise<boolean> {
  const untilMs = clock.nowMs() + mostMs
  for (;;) {
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (isEnough()) return true
    const dueMs = clock.nextAtMs
    if (dueMs === undefined || dueMs > untilMs) break
    clock.advance(dueMs - clock.nowMs())
  }
  clock.advance(untilMs - clock.nowMs())
  return isEnough()
}
