import type { Welcome } from '@smsgw/contract/link/frame'
import type { PauseRange } from '../connection/timers.ts'

/**
 * Detects a second agent with the same identity, for example on a copied SD card. The two agents replace each other's
 * connection endlessly. An agent knows that another process was connected in between if the welcome contains the boot
 * id of another process, or if `connEpoch` counts more connections than this process opened. After three takeovers, an
 * agent sends no more messages. It reconnects up to three more times, so that the other agent also counts three
 * takeovers and stops.
 */
export interface DuplicateEvidence {
  /** The first welcome that this process received since `streamId` last changed. */
  readonly first: Pick<Welcome, 'connEpoch' | 'streamId'> | undefined
  /** The number of hellos that this process sent. The process has opened at most this many connections. */
  readonly hellos: number
  /** The number of connections since `first` that this process did not open. */
  readonly foreign: number
  /** How often another process was connected between two connections of this process. */
  readonly takeovers: number
  /** True if another process was connected just before the latest connection. */
  readonly wasTakenOver: boolean
}

export const noDuplicate: DuplicateEvidence = {
  first: undefined,
  hellos: 0,
  foreign: 0,
  takeovers: 0,
  wasTakenOver: false,
}

const takeoversOfDuplicate = 3
const takeBacks = 3
/** The pause is long enough for the other agent to reconnect. */
export const takeBackPause: PauseRange = { fromMs: 60_000, toMs: 120_000 }

/** Ten minutes, which is longer than any pause before a second agent reconnects. */
export const ticksUntilCleared = 120

export const duplicateReason =
  'two agents use this identity (a copied SD card or data folder): stop one of them, or pair it again'

export function countHello(duplicate: DuplicateEvidence): DuplicateEvidence {
  return { ...duplicate, hellos: duplicate.hellos + 1 }
}

/**
 * Counts how often another agent has taken over the connection. Does not count a takeover by the previous process
 * of this agent, or a takeover with a boot id from a restored database.
 */
export function countTakeovers(duplicate: DuplicateEvidence, bootId: string, welcome: Welcome): DuplicateEvidence {
  const { first, hellos, foreign, takeovers } = duplicate
  const { connEpoch, streamId, previousBootId } = welcome
  if (first?.streamId !== streamId) {
    return { ...duplicate, first: { connEpoch, streamId }, foreign: 0, wasTakenOver: false }
  }
  const isOther = previousBootId !== undefined && previousBootId !== bootId
  // Counts connections from the first welcome, because the relay may process an old hello after later hellos.
  const countedForeign = connEpoch - first.connEpoch - (hellos - 1)
  const wasTakenOver = isOther || countedForeign > foreign
  return {
    ...duplicate,
    foreign: Math.max(foreign, countedForeign),
    takeovers: takeovers + (wasTakenOver ? 1 : 0),
    wasTakenOver,
  }
}

/** `take-back`: a second agent exists, so reconnect once more. */
export function duplicateVerdict({ takeovers, wasTakenOver }: DuplicateEvidence): 'none' | 'take-back' | 'stop' {
  if (takeovers < takeoversOfDuplicate) return 'none'
  return wasTakenOver && takeovers < takeoversOfDuplicate + takeBacks ? 'take-back' : 'stop'
}

export function clearTakeovers(duplicate: DuplicateEvidence): DuplicateEvidence {
  return duplicate.takeovers === 0 ? duplicate : { ...duplicate, takeovers: 0 }
}
