import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { parse } from 'node:querystring'
import { isStorable } from '../body/refuse-unstorable.ts'
import type { Caller } from '../caller.ts'
import type { Answer } from '../endpoint.ts'
import type { ApiError } from '../errors/api-error.ts'
import { fieldError } from '../errors/validation-error.ts'

/** The parameters of a query or form. A repeated parameter has several values. */
export type FacadeParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request to an interface of another product. Its values have not been checked. */
export interface FacadeRequest {
  readonly method: string
  /** Header names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly query: FacadeParameters
  /** Empty without a form. */
  readonly form: FacadeParameters
  /** The JSON body; undefined if there is none. */
  readonly json: unknown
}

/** Credentials that the interface of another product sends outside the usual headers, for example in the query. */
export type FacadeCredentials = { readonly key: string } | { readonly username: string; readonly password: string }

/** How an interface of another product differs from the rest of the API. */
export interface Facade {
  /** Formats in which the interface accepts a body. */
  readonly bodies: readonly ('form' | 'json')[]
  /**
   * Returns the credentials from the part of the request in which the interface sends them. If the result is undefined,
   * the header `Authorization` or `X-API-Key` is used. Called first without the body. If this call returns undefined,
   * called again with the body.
   */
  readonly credentials?: ((request: FacadeRequest) => FacadeCredentials | undefined) | undefined
  /** Returns the answer for an error. `request` has an empty body when the error occurred before the body was read. */
  readonly refuse: (error: ApiError, request: FacadeRequest) => Answer
  /**
   * Decodes percent-encoded parameters. Default: UTF-8. The result may contain characters that the database cannot
   * store.
   */
  readonly decode?: ((text: string) => string) | undefined
}

/** Returns the request without its body. */
export function bodylessRequest(
  { method = '', url = '', headers }: IncomingMessage,
  { decode }: Pick<Facade, 'decode'>,
): FacadeRequest {
  const mark = url.indexOf('?')
  const query = mark === -1 ? {} : parameters(url.slice(mark + 1), 'query', decode)
  return { method, headers, query, form: {}, json: undefined }
}

/** Parses a query or a form. */
export function parameters(text: string, place: 'query' | 'body', decode?: Facade['decode']): FacadeParameters {
  const parsed = parse(text, '&', '=', { maxKeys: 1000, ...(decode && { decodeURIComponent: decode }) })
  if (decode) return parsed
  for (const [name, values] of Object.entries(parsed))
    if (![name, values].flat().every((value) => value === undefined || isStorable(value)))
      throw fieldError(name.slice(0, 64).replaceAll('\0', ''), 'contains a NUL character: remove it', place)
  return parsed
}

/**
 * Returns the claims of a caller. The credentials of the interface replace those of the usual headers. Without such
 * credentials, the usual headers are used.
 */
export function facadeCaller(caller: Caller, credentials: FacadeCredentials | undefined): Caller {
  const { session: _, ...withoutSession } = caller
  if (credentials === undefined) return withoutSession
  if ('key' in credentials) return { ...withoutSession, authorization: undefined, apiKey: credentials.key }
  const { username, password } = credentials
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  return { ...withoutSession, authorization: `Basic ${pair}`, apiKey: undefined }
}
