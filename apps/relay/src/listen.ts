import type { AddressInfo } from 'node:net'
import { StartError } from '@smsgw/daemon/start-error'
import type { FastifyInstance } from 'fastify'

/** Where it listens, as an address that can be called. */
export async function listen(server: FastifyInstance, where: { host: string; port: number }): Promise<string> {
  try {
    await server.listen(where)
  } catch (error) {
    throw new StartError(problemOf(error, where), { cause: error })
  }
  const { port } = server.server.address() as AddressInfo
  const protocol = server.initialConfig.https ? 'https' : 'http'
  return `${protocol}://${where.host.includes(':') ? `[${where.host}]` : where.host}:${port}`
}

function problemOf(error: unknown, { host, port }: { host: string; port: number }): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is taken by another program: end that one, or set PORT to another`
    case 'EACCES':
      return `port ${port} may not be listened on by this user: set PORT to one above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: set HOST to one, or to 0.0.0.0 for all`
    default:
      return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`
  }
}
