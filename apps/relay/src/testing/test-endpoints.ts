import { type Scope, scopes } from '@smsgw/contract/access/scopes'
import { checkAnswer } from '../http/answer/check-answer.ts'
import { buildServer } from '../http/build-server.ts'
import type { Caller } from '../http/caller.ts'
import type { Principal } from '../http/endpoint.ts'
import type { Route } from '../http/route.ts'
import { NEVER_LOST } from '../http/testing/never-lost.ts'

export interface TestReply {
  readonly status: number
  readonly headers: Headers
  /** The body as JSON, or undefined without a body. */
  readonly json: unknown
}

export interface TestEndpoints {
  /**
   * Sends a request to a path below the base. `account` may be followed by scopes; without scopes, it has all scopes.
   */
  request(account: string, method: string, path: string, body?: unknown): Promise<TestReply>
  /** Sends a GET request and returns the body as it arrived. */
  download(account: string, path: string): Promise<{ status: number; headers: Headers; bytes: Buffer }>
  close(): Promise<void>
}

/** Serves routes with the real HTTP server, but without authentication, because the caller names its account. */
export async function testEndpoints(routes: readonly Route[]): Promise<TestEndpoints> {
  const faults: object[] = []
  const server = buildServer({
    routes,
    authenticate: believe,
    authenticateRefresh: believe,
    authenticatePhone: believe,
    admissions: NEVER_LOST,
    log: { error: (details) => faults.push(details), warn: (details) => faults.push(details) },
    requestId: () => 'test',
    trustedProxies: [],
    checkAnswer,
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    async request(account, method, path, body) {
      const response = await fetch(`${address}/3rdparty/v1${path}`, {
        method,
        headers: { authorization: account, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status === 500) throw new Error(`the request failed: ${JSON.stringify(faults.at(-1))}`)
      return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) }
    },
    async download(account, path) {
      const response = await fetch(`${address}/3rdparty/v1${path}`, { headers: { authorization: account } })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes }
    },
    close: () => server.close(),
  }
}

async function believe({ authorization = '' }: Caller): Promise<Principal> {
  const [accountId = '', ...named] = authorization.split(' ')
  return { accountId, username: accountId, scopes: new Set(named.length > 0 ? (named as Scope[]) : scopes) }
}
