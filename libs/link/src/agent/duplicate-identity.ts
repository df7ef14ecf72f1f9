import type { Welcome } from '@smsgw/contract/link/frame'
import type { Pause } from '../connection/timers.ts'

/**
 * Two agents with one identity, a copied card in a second machine, take the connection from each other for ever, for each
 * new one fences the one before. An agent notices that, between two connections of its own process, another process was
 * connected: the relay tells whose connection was the one before, and counts more connections than this process began.
 * Their connections come in turns, so their counts hardly differ. Whoever comes to the count sends nothing any more, but
 * takes the connection a few times yet, as long as somebody takes it back, so that the other one comes to it as well.
 */
export interface DuplicateEvidence {
  /** The first welcome of this process in the present history of the database, which counts the epochs. */
  readonly first: Pick<Welcome, 'connEpoch' | 'streamId'> | undefined
  /** How often this process has said hello: so many connections at most were its own. */
  readonly hellos: number
  /** Connections since the first that cannot have been its own. */
  readonly foreign: number
  /** How often another process was there in between, and whether it was the last time. */
  readonly takeovers: number
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
/** Long enough for the other one to notice, and to come back. */
export const takeBackPause: Pause = { fromMs: 60_000, toMs: 120_000 }

/** Ten minutes: longer than the pauses after which another one would have taken the connection again. */
export const ticksUntilCleared = 120

export const duplicateReason =
  'two agents use this identity, a copied card or folder: stop one of them, or pair it anew'

export function countHello(duplicate: DuplicateEvidence): DuplicateEvidence {
  return { ...duplicate, hellos: duplicate.hellos + 1 }
}

/** The process before this one, and whoever a restored database remembers, are no takeovers. */
export function countTakeovers(duplicate: DuplicateEvidence, bootId: string, welcome: Welcome): DuplicateEvidence {
  const { first, hellos, foreign, takeovers } = duplicate
  const { connEpoch, streamId, previousBootId } = welcome
  if (first?.streamId !== streamId) {
    return { ...duplicate, first: { connEpoch, streamId }, foreign: 0, wasTakenOver: false }
  }
  const isOther = previousBootId !== undefined && previousBootId !== bootId
  // A hello that was given up may be heard late, when others have followed it: that is why they are counted from the first.
  const countedForeign = connEpoch - first.connEpoch - (hellos - 1)
  const wasTakenOver = isOther || countedForeign > foreign
  return {
    ...duplicate,
    foreign: Math.max(foreign, countedForeign),
    takeovers: takeovers + (wasTakenOver ? 1 : 0),
    wasTakenOver,
  }
}

/** `farewell`: it is one of two, and takes the connection once more. */
export function duplicateVerdict({ takeovers, wasTakenOver }: DuplicateEvidence): 'none' | 'take-back' | 'stop' {
  if (takeovers < takeoversOfDuplicate) return 'none'
  return wasTakenOver && takeovers < takeoversOfDuplicate + takeBacks ? 'take-back' : 'stop'
}

export function forget(duplicate: DuplicateEvidence): DuplicateEvidence {
  return duplicate.takeovers === 0 ? duplicate : { ...duplicate, takeovers: 0 }
}
