import type { KeyLimits } from '@smsgw/contract/access/api-key'
import type { Scope } from '@smsgw/contract/access/scopes'
import type { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { CallerAccess } from './admissions.ts'
import type { Caller } from './caller.ts'
import type { Facade } from './facade/facade.ts'

/** The API key of a caller. */
export interface PrincipalKey {
  readonly id: string
  readonly name: string
  readonly limits: KeyLimits
  /** The hash of the key that was sent. Not set for a token. */
  readonly secretHash?: string
}

/** The authenticated caller: an account and its scopes. */
export interface Principal {
  readonly accountId: string
  readonly username: string
  readonly scopes: ReadonlySet<Scope>
  /** Set for bearer tokens. */
  readonly tokenId?: string
  /** Set for an API key, and for a token that was issued with an API key. */
  readonly key?: PrincipalKey
  /** The time at which the credentials expire. Set for bearer tokens, and for API keys that expire. */
  readonly expiresAt?: Date
  /**
   * The time at which all tokens of the token's family have expired. Set only if the family was issued with another
   * token.
   */
  readonly familyEndsAt?: Date
  /** Version of the account's password; set for passwords and sessions. */
  readonly credentialVersion?: number
  /** The webhook whose receiver replied to a received message. */
  readonly webhookId?: string
  /** Session token of a browser. */
  readonly session?: string
  /** Set for the token of a phone. */
  readonly phone?: AgentConnection
  /** Lifetime of the next access token; set for refresh tokens. */
  readonly ttlSeconds?: number
}

/** A request as an endpoint receives it, validated by its schemas. */
export interface Call<Body, Query, Params> extends Omit<Caller, 'authorization' | 'apiKey' | 'session'> {
  readonly principal: Principal
  readonly body: Body
  readonly query: Query
  readonly params: Params
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The prefix of the request, `/3rdparty/v1` or `/api/3rdparty/v1`. Used for `Location` and `Link`. */
  readonly base: string
  /** Path and query of the request. Used for `Link`. */
  readonly url: string
  readonly requestId: string
  /** Notifies long requests when the caller loses access. */
  readonly access: CallerAccess
}

/** The client to which a streamed answer is sent. */
export interface AnswerSink {
  write(text: string): void
  /** The number of bytes that the client has not received yet. */
  readonly unreadBytes: number
  end(): void
  /** Calls `closed` when the caller disconnects. */
  onClose(closed: () => void): void
}

export interface AnswerStream {
  begin(sink: AnswerSink): void
  /** Ends the answer. May be called before `begin`. */
  end(): void
}

export interface Answer {
  readonly status: number
  /** The body; undefined for an answer without a body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Writes the body as a stream, in place of `body`. */
  readonly stream?: AnswerStream
}

export interface EndpointDefinition<
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Params extends z.ZodType = z.ZodType<unknown>,
> {
  /** The schema of the body; if undefined, the body of a request is ignored. */
  readonly body?: Body
  /**
   * Schema of the body in the OpenAPI document, if the endpoint checks the parts of the body itself. Default: `body`.
   */
  readonly documentedBody?: z.ZodType
  /** The largest body in bytes. Default: 256 KiB, or 4 KiB without authentication. */
  readonly mostBodyBytes?: number
  /**
   * The member that a body above 256 KiB must have, if `mostBodyBytes` allows such bodies. Without this member, the
   * body is refused with 413.
   */
  readonly largeBodyMember?: string
  readonly query?: Query
  readonly params?: Params
  /**
   * The schema of the answer's body by status; null for no body. `answerStatuses` adds the errors that every route may
   * return.
   */
  readonly answers: Readonly<Record<number, z.ZodType | null>>
  /** Error statuses in addition to the common ones, for the OpenAPI document. */
  readonly errors?: readonly number[]
  /** Descriptions of the request headers that the endpoint reads, for the OpenAPI document. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Descriptions of the headers of successful answers, for the OpenAPI document. */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** True if an unknown id is answered with 204 instead of 404, because it counts as already deleted. */
  readonly unknownId?: 204
  readonly deprecated?: boolean
  /** The setting whose value the endpoint itself requires as bearer token, if its route is public. */
  readonly bearerSetting?: string | undefined
  /** Media type of the answers if it is not `application/json`. A string is then sent unchanged. */
  readonly mediaType?: string
  /**
   * Why the endpoint answers 501 in the present mode of the relay; undefined if it works in this mode. Left out if it
   * works in every mode.
   */
  readonly unavailable?: string | undefined
  /**
   * True if a long answer may be compressed. The length of a compressed answer reveals text that occurs twice. So only
   * answers without texts of messages and without secrets may be compressed
   * (docs/decisions/0019-compressed-answers.md).
   */
  readonly isCompressible?: true
  readonly handle: (call: Call<z.output<Body>, z.output<Query>, z.output<Params>>) => Promise<Answer>
}

/** An endpoint in the form in which the route table contains it, without the types of its schemas. */
export interface Endpoint extends Omit<EndpointDefinition<z.ZodType, z.ZodType, z.ZodType>, 'handle'> {
  readonly handle: (call: Call<never, never, never>) => Promise<Answer>
  /** Set for an interface of another product, which has its own credentials and errors. */
  readonly facade?: Facade
}

/** Builds an endpoint. The types of its handler follow from the schemas of the definition. */
export function endpoint<
  Body extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Params extends z.ZodType = z.ZodType<unknown>,
>(definition: EndpointDefinition<Body, Query, Params>): Endpoint {
  return definition as Endpoint
}
