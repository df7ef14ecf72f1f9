import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * One that nobody listens on, and that the system gives to no outgoing connection (it takes those from 32768 on): who lets
 * go of it for a moment, as a process does that is started again, finds it free.
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
