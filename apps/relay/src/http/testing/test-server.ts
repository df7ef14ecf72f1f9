import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Scope } from '@smsgw/contract/access/scopes'
import { buildServer, type ServerParts } from '../build-server.ts'
import type { Principal } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import { NEVER_LOST } from './never-lost.ts'

export interface TestServer {
  readonly port: number
  /** Entries of the server's log. */
  readonly logged: readonly object[]
  send(method: string, path: string, what?: Sent): Promise<Response>
  /** Sends bytes over a new connection. Returns everything received until the server closes the connection. */
  raw(...pieces: readonly (string | Buffer)[]): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** Accepts every caller that sends an Authorization header. The caller gets the scopes that the header names. */
async function acceptScopes({ authorization }: { authorization: string | undefined }): Promise<Principal> {
  if (authorization === undefined)
    throw new ApiError(401, 'Credentials required', { headers: { 'WWW-Authenticate': 'Basic' } })
  return { accountId: 'a', username: 'u', scopes: new Set(authorization.split(' ') as Scope[]) }
}

/** Starts a server with these routes. */
export async function testServer(parts: Partial<ServerParts> & Pick<ServerParts, 'routes'>): Promise<TestServer> {
  const logged: object[] = []
  const note = (details: object, message: string) => void logged.push({ ...details, event: message })
  const server = buildServer({
    authenticate: acceptScopes,
    authenticateRefresh: acceptScopes,
    authenticatePhone: acceptScopes,
    admissions: NEVER_LOST,
    log: { error: note, warn: note },
    requestId: () => 'made-here',
    trustedProxies: [],
    ...parts,
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    logged,
    send: (method, path, { headers = {}, body } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers,
        redirect: 'error',
        ...(body !== undefined && { body, duplex: 'half' }),
      } as RequestInit),
    async raw(...pieces) {
      const socket = connect(port, '127.0.0.1')
      const answer = text(socket)
      await once(socket, 'connect')
      for (const piece of pieces) socket.write(piece)
      return await answer
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
}
