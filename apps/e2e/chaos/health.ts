import type { FleetParts } from '../src/house/fleet.ts'

/** The names of relays, agents and modems that do not work at the moment. */
export async function failing(fleet: FleetParts): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const answers = await Promise.all(
    fleet.relays.map(({ url }) =>
      fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined),
    ),
  )
  for (const [at, { post }] of fleet.relays.entries()) if (answers[at]?.status !== 200) found.add(post.name)
  const devices = await devicesOf(fleet)
  for (const { post, modems, numbers } of fleet.agents) {
    const device = devices.find(({ simCards }) =>
      simCards.some(({ phoneNumber }) => numbers.includes(phoneNumber ?? '')),
    )
    if (!device?.online) found.add(post.name)
    for (const [at, modem] of modems.entries()) {
      const sim = device?.simCards.find(({ phoneNumber }) => phoneNumber === numbers[at])
      if (!device?.online || sim?.state !== 'ready') found.add(modem)
    }
  }
  return found
}

interface Device {
  readonly online: boolean
  readonly simCards: readonly { readonly phoneNumber?: string; readonly state: string }[]
}

/** Returns the answer of the first relay that responds, because another relay may be stopped. */
function devicesOf({ relays }: FleetParts): Promise<readonly Device[]> {
  const asked = relays.map(async ({ api }) => {
    const answer = await api.ask('GET', '/devices', undefined, {}, 2_000)
    if (answer.status !== 200) throw new Error(`GET /devices: ${answer.status}`)
    return answer.json as readonly Device[]
  })
  return Promise.any(asked).catch(() => [])
}

/**
 * Waits until the named parts work, or until `limitMs` have passed since `hitAt()`. `hitAt` is called repeatedly,
 * because other faults may follow. `check` returns the parts that do not work. Returns the parts that still do not
 * work.
 */
export async function untilRecovered(
  check: () => Promise<ReadonlySet<string>>,
  names: readonly string[],
  limitMs: number,
  hitAt: () => number,
): Promise<readonly string[]> {
  for (;;) {
    const found = await check()
    const left = names.filter((name) => found.has(name))
    if (left.length === 0 || performance.now() > hitAt() + limitMs) return left
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The time at which the last fault of each part was over. */
export class Hits {
  readonly #fleet: FleetParts
  readonly #at = new Map<string, number>()

  constructor(fleet: FleetParts) {
    this.#fleet = fleet
  }

  note(names: readonly string[]): void {
    for (const name of names) this.#at.set(name, performance.now())
  }

  /** Returns when the last fault of these parts, or of parts that they need, was over. */
  lastOn(names: readonly string[]): number {
    const all = names.flatMap((name) => [name, ...this.#neededBy(name)])
    return Math.max(...all.map((name) => this.#at.get(name) ?? 0))
  }

  /** A modem needs its agent, an agent needs the relays, and a relay needs the database. */
  #neededBy(name: string): readonly string[] {
    const { relays, agents } = this.#fleet
    const relayNames = relays.map(({ post }) => post.name)
    if (relayNames.includes(name)) return [database]
    const owners = agents.filter(({ modems }) => modems.includes(name)).map(({ post }) => post.name)
    return [...owners, ...relayNames, database]
  }
}

/** The name of the database among the parts with faults. */
export const database = 'PostgreSQL'

export function everything({ relays, agents }: FleetParts): readonly string[] {
  return [...relays, ...agents].map(({ post }) => post.name).concat(agents.flatMap(({ modems }) => modems))
}
