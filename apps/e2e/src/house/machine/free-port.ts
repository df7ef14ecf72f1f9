import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The ports that this process has already given to a test. */
const given = new Set<number>()

/**
 * A free port below 32768. Linux does not use these ports for outgoing connections, so the port is still free when a
 * process restarts. Processes that run at the same time choose among different ports, because a port is used only some
 * time after it was chosen.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + SHARES * randomInt(PORTS_OF_SHARE) + (process.pid % SHARES)
    if (given.has(port)) continue
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    given.add(port)
    return port
  }
}

const LOWEST = 15_000
const LOWEST_OF_CONNECTIONS = 32_768
const SHARES = 64
const PORTS_OF_SHARE = Math.floor((LOWEST_OF_CONNECTIONS - LOWEST) / SHARES)
