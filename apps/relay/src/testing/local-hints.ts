import { WakeHints } from '../hints/wake-hints.ts'

/** Hints within this process only, as if every hint to other relays was lost. */
export function localHints(): WakeHints {
  return new WakeHints({ publish: () => undefined, subscribe: () => undefined, close: async () => undefined })
}
