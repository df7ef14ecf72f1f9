import type { Scope } from '@smsgw/contract/scopes'
import type { z } from 'zod'
import type { Caller } from './caller.ts'

/** Who calls: an account, with what it may do. */
export interface Principal {
  readonly accountId: string
  readonly username: string
  readonly scopes: ReadonlySet<Scope>
  /** Of a bearer token. */
  readonly tokenId?: string
  /** Of a login with a password: which password it was. */
  readonly credentialVersion?: number
  /** Of a browser that has signed in: what its cookie holds. */
  readonly session?: string
  /** Of a refresh token: the life of the access tokens that it is exchanged for. */
  readonly ttlSeconds?: number
}

/** What an endpoint gets: everything is checked already, by its own schemas. */
export interface Call<Body, Query, Params> extends Omit<Caller, 'authorization' | 'session'> {
  readonly principal: Principal
  readonly body: Body
  readonly query: Query
  readonly params: Params
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** `/3rdparty/v1` or `/api/3rdparty/v1`, as it was called: for `Location` and `Link`. */
  readonly base: string
  /** Path and query as called, for `Link`. */
  readonly url: string
  readonly requestId: string
  /** Whether the caller would still be let in: asked now and then by what does not end. */
  readonly stillMay: () => Promise<boolean>
}

/** Where an answer without an end goes. */
export interface AnswerSink {
  write(text: string): void
  /** What the caller has not taken yet. */
  readonly unreadBytes: number
  end(): void
  /** The caller has gone. */
  onClose(closed: () => void): void
}

export interface AnswerStream {
  begin(sink: AnswerSink): void
  /** Instead of a beginning, too. */
  end(): void
}

export interface Answer {
  readonly status: number
  /** Left out: no body at all. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of a body: one that has no end. */
  readonly stream?: AnswerStream
}

export interface EndpointDefinition<
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Params extends z.ZodType = z.ZodType<unknown>,
> {
  /** Left out: a body is not looked at. */
  readonly body?: Body
  readonly query?: Query
  readonly params?: Params
  /** Status → schema of its body, null for none. Errors that every route may answer are added by the route table. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>
  /** Errors beside the common 400, 401, 403, 404 by id and so on, for the document. */
  readonly errors?: readonly number[]
  /** Headers that it looks at, with their meaning, for the document. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  readonly deprecated?: boolean
  /** Of the answers, when it is not JSON: their body is sent as the text that it is. */
  readonly mediaType?: string
  /** Why it is not there in this mode: 501 whoever asks, with whatever. */
  readonly unavailable?: string | undefined
  readonly handle: (call: Call<z.output<Body>, z.output<Query>, z.output<Params>>) => Promise<Answer>
}

/** An endpoint as the route table holds it: what it takes is its own business. */
export interface Endpoint {
  readonly body?: z.ZodType
  readonly query?: z.ZodType
  readonly params?: z.ZodType
  readonly answers: Readonly<Record<number, z.ZodType | null>>
  readonly errors?: readonly number[]
  readonly requestHeaders?: Readonly<Record<string, string>>
  readonly deprecated?: boolean
  readonly mediaType?: string
  readonly unavailable?: string | undefined
  readonly handle: (call: Call<never, never, never>) => Promise<Answer>
}

/** Types the handler by its own schemas. */
export function endpoint<
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Params extends z.ZodType = z.ZodType<unknown>,
>(definition: EndpointDefinition<Body, Query, Params>): Endpoint {
  return definition as Endpoint
}
