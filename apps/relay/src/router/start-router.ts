import type { Log } from '@smsgw/daemon/log/log'
import type { Pool } from 'pg'
import type { RelayConfig } from '../config.ts'
import { newId, systemRandom } from '../random.ts'
import { type SecretBox, secretBox } from '../store/secret-box.ts'
import { CellFeeds } from './directory/cell-feeds.ts'
import {
  findPlacements,
  readCells,
  readChange,
  readChangedAccounts,
  readMovingAccounts,
  recordSeen,
  removeRouter,
} from './directory/directory.ts'
import { prepareDirectory } from './directory/directory-schema.ts'
import { openPool } from './directory/open-pool.ts'
import { type DirectoryAccess, Placements } from './directory/placements.ts'
import { clientFacts } from './proxy/forwarded-headers.ts'
import { RelayPool } from './proxy/relay-pool.ts'
import { type ServedConfig, serveRouter } from './serve-router.ts'

export interface RouterConfig
  extends ServedConfig,
    Pick<RelayConfig, 'TRUSTED_PROXIES' | 'SERVER_SECRET' | 'DRAIN_SECONDS'> {
  readonly directoryUrl: string
}

export interface Router {
  readonly id: string
  readonly url: string
  /** Makes `/health/ready` fail, and sends the agents to other routers. */
  drain(): void
  close(): Promise<void>
}

const CONNECTIONS = 4
const TIMEOUT_MS = 5_000
const LONGEST_SPREAD_MS = 20_000

/** Starts a router. It keeps nothing but caches, so any number of routers can run on one directory. */
export async function startRouter(config: RouterConfig, log: Log): Promise<Router> {
  const box = secretBox(config.SERVER_SECRET, systemRandom)
  const routerId = newId(systemRandom)
  const directory = openPool({
    url: config.directoryUrl,
    connections: CONNECTIONS,
    name: 'smsgw router',
    statementTimeoutMs: TIMEOUT_MS,
  })
  const feeds = new CellFeeds(directory, log)
  const pool = new RelayPool(log)
  const placements = new Placements({
    directory: accessTo({ directory, feeds, box, routerId }),
    log,
    onCells(cells) {
      feeds.setCells(cells)
      pool.setCells(cells)
    },
    nowMs: () => performance.now(),
  })
  const closeParts = async () => {
    pool.close()
    await placements.close()
    await feeds.close()
    await removeRouter(directory, routerId).catch(() => undefined)
    await directory.end()
  }
  try {
    await prepareDirectory(directory)
    await placements.start()
    const parts = {
      placements,
      pool,
      box,
      routerId,
      log,
      random: systemRandom,
      clientOf: clientFacts(config.TRUSTED_PROXIES),
    }
    const { url, agents, state, close } = await serveRouter(config, parts)
    return {
      id: routerId,
      url,
      drain() {
        state.isDraining = true
        agents.drain(Math.min(config.DRAIN_SECONDS * 800, LONGEST_SPREAD_MS))
      },
      async close() {
        await close()
        await closeParts()
      },
    }
  } catch (error) {
    await closeParts()
    throw error
  }
}

interface AccessParts {
  readonly directory: Pool
  readonly feeds: CellFeeds
  readonly box: SecretBox
  readonly routerId: string
}

function accessTo({ directory, feeds, box, routerId }: AccessParts): DirectoryAccess {
  return {
    find: (claims) => findPlacements(directory, claims),
    drainFeeds: () => feeds.drain(),
    readChange: () => readChange(directory),
    readChanged: (after) => readChangedAccounts(directory, after),
    readMoving: () => readMovingAccounts(directory),
    readCells: () => readCells(directory, box),
    recordSeen: (seen) => recordSeen(directory, routerId, seen),
  }
}
