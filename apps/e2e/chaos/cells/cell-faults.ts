import { type ChaosFault, faultsOfParts } from '../faults.ts'
import { addTime, type Times } from '../report.ts'
import type { AccountMover } from './account-mover.ts'
import type { CellFleet } from './cell-fleet.ts'

export interface CellWorld {
  readonly fleet: CellFleet
  readonly mover: AccountMover
  /** The time from the kill of a primary until the new pair confirms commits. */
  readonly failovers: Times
}

type CellFault = ChaosFault<CellWorld>

/** Faults of relays, routers, agents and modems, and the moves of accounts. */
export const cellFaults: readonly CellFault[] = [
  ...faultsOfParts.map(({ inject, ...fault }) => ({
    ...fault,
    inject: ({ fleet }: CellWorld, random: () => number) => inject(fleet.all, random),
  })),
  { name: 'all relays of a cell killed', weight: 1, inject: cellKilled },
  { name: 'router killed', weight: 1, inject: routerKilled },
  { name: 'account moved', weight: 3, inject: accountMoved },
]

export const failoverFaults: readonly CellFault[] = [
  { name: 'primary killed, standby promoted', weight: 2, inject: primaryKilled },
  { name: 'standby killed', weight: 1, inject: standbyKilled },
]

async function cellKilled({ fleet }: CellWorld, random: () => number): Promise<readonly string[]> {
  const { relays } = one(fleet.cells, random)
  await Promise.all(relays.map(({ post }) => post.killFor(random() * 2_000)))
  return relays.map(({ post }) => post.name)
}

async function routerKilled({ fleet }: CellWorld, random: () => number): Promise<readonly string[]> {
  const { post } = one(fleet.routers, random)
  await post.killFor(random() * 2_000)
  return [post.name]
}

async function accountMoved({ fleet, mover }: CellWorld): Promise<readonly string[]> {
  const username = await mover.move()
  const moved = fleet.accounts.filter((account) => account.username === username)
  return moved.flatMap(({ parts }) => parts.agents.map(({ post }) => post.name))
}

async function primaryKilled({ fleet, failovers }: CellWorld, random: () => number): Promise<readonly string[]> {
  const { name, databases, relays } = one(fleet.cells, random)
  const beganAt = performance.now()
  await databases.failOver(random() * 3_000)
  addTime(failovers, name, performance.now() - beganAt)
  return relays.map(({ post }) => post.name)
}

async function standbyKilled({ fleet }: CellWorld, random: () => number): Promise<readonly string[]> {
  const { databases, relays } = one(fleet.cells, random)
  await databases.killStandby(random() * 2_000)
  return relays.map(({ post }) => post.name)
}

function one<T>(each: readonly T[], random: () => number): T {
  return each[Math.floor(random() * each.length)] as T
}
