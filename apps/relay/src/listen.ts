import type { AddressInfo } from 'node:net'
import { StartError } from '@smsgw/daemon/start-error'
import type { FastifyInstance } from 'fastify'

/** Starts listening and returns the URL of the server. */
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
      return `port ${port} of ${host} is in use by another program: stop that program, or set PORT to another port`
    case 'EACCES':
      return `this user may not listen on port ${port}: set PORT to a port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine does not have the address ${host}: set HOST to one of its addresses, or to 0.0.0.0`
    default:
      return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : error}`
  }
}
