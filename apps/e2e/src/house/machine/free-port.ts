import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port below 32768. Linux does not use these ports for outgoing connections, so the port is still free when a process
 * restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, LOWEST_OF_CONNECTIONS)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

const LOWEST = 15_000
const LOWEST_OF_CONNECTIONS = 32_768
