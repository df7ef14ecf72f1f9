import { RandomChoices } from '@smsgw/simulation/random-choices'

/** How a region fails. */
export type OutageKind =
  /** The load balancer is gone, and its address refuses connections. */
  | 'refused'
  /** Packets are lost, so connections stay without an answer. */
  | 'silent'
  /** The load balancer answers with 503, because no relay is running. */
  | 'no-relay'

/** One region, and the outage that it recovers from. */
export interface Outage {
  readonly seed: number
  readonly kind: OutageKind
  readonly agents: number
  /** Cells behind routers, each with its own database and relays. 1: relays behind a load balancer, on one database. */
  readonly cells: number
  /** The relays of all cells. */
  readonly relays: number
  readonly forMs: number
  /** The relays start at different moments within this time after the outage. */
  readonly startMs: number
  /** The largest number of agents behind one address. */
  readonly largestSite: number
  /** Cores of the load balancer or of the routers, which spend most of their time on TLS handshakes. */
  readonly balancerCores: number
  /** Cores of all databases. */
  readonly databaseCores: number
}

const AGENTS_OF_A_RELAY = 5_000
/** As many relays as the guide to cells plans for a cell. */
const RELAYS_OF_A_CELL = 3

/** Returns an outage that the seed determines. `given` replaces its number of agents and cells. */
export function planOutage(seed: number, given: Partial<Pick<Outage, 'agents' | 'cells'>> = {}): Outage {
  const random = new RandomChoices(seed)
  const planned = random.oneOf([200, 500, 2_000])
  const { agents = planned, cells = 1 } = given
  // For one TLS handshake with every agent, the balancer needs 6, 12 or 25 s in total, and the database a little
  // longer.
  const perAgent = random.oneOf([1, 2, 4]) / 25_000
  return {
    seed,
    agents,
    kind: random.oneOf(['refused', 'silent', 'no-relay']),
    cells,
    relays: cells > 1 ? cells * RELAYS_OF_A_CELL : Math.max(2, Math.ceil(agents / AGENTS_OF_A_RELAY)),
    forMs: random.oneOf([5_000, 60_000, 240_000, 900_000]),
    startMs: random.oneOf([0, 2_000, 60_000]),
    largestSite: random.oneOf([1, 20, 300]),
    balancerCores: agents * perAgent,
    databaseCores: 2 * agents * perAgent,
  }
}
