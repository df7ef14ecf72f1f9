import type { Welcome } from '@smsgw/contract/link/frame'
import type { Pause } from './reconnect.ts'

/**
 * Two agents with one identity, a copied card in a second machine, take the connection from each other for ever, for each
 * new one fences the one before. An agent notices that, between two connections of its own process, another process was
 * connected: the relay tells whose connection was the one before, and counts more connections than this process began.
 * Their connections come in turns, so their counts hardly differ. Whoever comes to the count sends nothing any more, but
 * takes the connection a few times yet, as long as somebody takes it back, so that the other one comes to it as well.
 */
export interface Sightings {
  /** The first welcome of this process in the present history of the database, which counts the epochs. */
  readonly first: Pick<Welcome, 'connEpoch' | 'streamId'> | undefined
  /** How often this process has said hello: so many connections at most were its own. */
  readonly hellos: number
  /** Connections since the first that cannot have been its own. */
  readonly foreign: number
  /** How often another process was there in between, and whether it was the last time. */
  readonly strangers: number
  readonly isStrange: boolean
}

export const noSightings: Sightings = { first: undefined, hellos: 0, foreign: 0, strangers: 0, isStrange: false }

const strangersOfClones = 3
const farewells = 3
/** Long enough for the other one to notice, and to come back. */
export const farewellPause: Pause = { fromMs: 60_000, toMs: 120_000 }

/** Ten minutes: longer than the pauses after which another one would have taken the connection again. */
export const ticksUntilAlone = 120

export const cloneReason = 'two agents use this identity, a copied card or folder: stop one of them, or pair it anew'

export function sayHello(sightings: Sightings): Sightings {
  return { ...sightings, hellos: sightings.hellos + 1 }
}

/** The process before this one, and whoever a restored database remembers, are no strangers. */
export function lookAround(sightings: Sightings, bootId: string, welcome: Welcome): Sightings {
  const { first, hellos, foreign, strangers } = sightings
  const { connEpoch, streamId, previousBootId } = welcome
  if (first?.streamId !== streamId) {
    return { ...sightings, first: { connEpoch, streamId }, foreign: 0, isStrange: false }
  }
  const isOther = previousBootId !== undefined && previousBootId !== bootId
  // A hello that was given up may be heard late, when others have followed it: that is why they are counted from the first.
  const countedForeign = connEpoch - first.connEpoch - (hellos - 1)
  const isStrange = isOther || countedForeign > foreign
  return {
    ...sightings,
    foreign: Math.max(foreign, countedForeign),
    strangers: strangers + (isStrange ? 1 : 0),
    isStrange,
  }
}

/** `farewell`: it is one of two, and takes the connection once more. */
export function verdictOn({ strangers, isStrange }: Sightings): 'alone' | 'farewell' | 'stop' {
  if (strangers < strangersOfClones) return 'alone'
  return isStrange && strangers < strangersOfClones + farewells ? 'farewell' : 'stop'
}

export function forget(sightings: Sightings): Sightings {
  return sightings.strangers === 0 ? sightings : { ...sightings, strangers: 0 }
}
