import type { ModemActor } from '../modems/modem-actor.ts'
import type { SimSettings } from '../modems/modem-actor-options.ts'
import type { UnlockRequest } from '../status/control-socket.ts'
import { savePin } from './saved-pins.ts'

/**
 * Enters a PIN into the SIM of the modem on this port, and saves the PIN for later starts if the SIM accepts it. The
 * driver never uses the last attempt. The new state of the modem shows whether the PIN was correct.
 *
 * Returns true if the PIN was saved. The PIN is not saved if the modem may get another SIM number at the next start, or
 * if `SIM_<n>_PIN` takes precedence.
 */
export async function unlockAndSavePin(
  { actors, areNumbersKept, isPinSet }: UnlockableModems,
  folder: string,
  { port, pin }: UnlockRequest,
): Promise<boolean> {
  const actor = actors.find(({ address }) => address === port)
  if (actor?.modem === undefined) throw new Error(`no modem is connected at ${port}`)
  await actor.useSimPin(pin)
  const { session } = actor.health
  if (session === undefined || actor.simNumber === undefined || !areNumbersKept) return false
  if (isPinSet?.(actor.simNumber)) return false
  savePin(folder, actor.simNumber, pin)
  return true
}

interface UnlockableModems extends Pick<SimSettings, 'isPinSet'> {
  readonly actors: readonly ModemActor[]
  /** True if the SIM numbers are on disk, or are the same at each start. */
  readonly areNumbersKept: boolean
}
