import { STATUS_CODES } from 'node:http'
import { problem } from '@smsgw/contract/fields/problem'
import type { z } from 'zod'
import { answerStatuses } from '../answer/answer-statuses.ts'
import { type RequiredAccess, type Route, scopesOf } from '../route.ts'
import type { RouteUrl } from '../route-urls.ts'
import type { ComponentSchemas, JsonSchema } from './component-schemas.ts'

export interface OperationParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly deprecated?: true
  readonly schema: JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly OperationParameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: Readonly<Record<string, Response>>
}

/** Describes a route at one of its paths. */
export function operationOf(route: Route, { base }: RouteUrl, schemas: ComponentSchemas): Operation {
  const { endpoint, access, summary } = route
  const body = endpoint.documentedBody ?? endpoint.body
  return {
    operationId: operationId(route, base),
    tags: [tagOf(route)],
    summary,
    description: endpoint.bearerSetting
      ? `Requires the value of \`${endpoint.bearerSetting}\` as bearer token.`
      : accessText(access),
    ...(endpoint.deprecated && { deprecated: true }),
    security: endpoint.bearerSetting ? [{ settingToken: [] }] : security(access),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { 'application/json': { schema: schemas.add(body, 'body') } },
      },
    }),
    responses: Object.fromEntries(answerStatuses(route).map((status) => [status, response(route, status, schemas)])),
  }
}

/**
 * Returns a name such as `getMessagesById` for `GET /messages/{id}`. The name of `GET /health` is `getHealth` at the
 * root and `getApiHealth` below the API.
 */
function operationId({ method, path, place }: Route, base: string): string {
  const words = (place === 'both' && base !== '' ? `api${path}` : path)
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  const capital = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return method.toLowerCase() + capital.join('')
}

function tagOf({ path, place }: Route): string {
  const first = path.split('/')[1] ?? ''
  return place === 'root' && first !== 'hooks' ? 'discovery' : first
}

function accessText(access: RequiredAccess): string {
  if (access === 'phone') return 'Requires the token of a phone as bearer.'
  if (access === 'public') return 'Requires no authentication.'
  if (access === 'refresh token') return 'Requires a refresh token as bearer.'
  if (access === 'any scope') return 'Requires Basic authentication, a session, or a token or API key with any scope.'
  if (access === 'no token')
    return 'Requires Basic authentication with the password, or a session. Tokens and API keys are refused.'
  return `Requires Basic authentication, a session, or a token or API key with the scope ${scopesOf(access)
    .map((scope) => `\`${scope}\``)
    .join(' or ')}.`
}

function security(access: RequiredAccess): Operation['security'] {
  if (access === 'phone') return [{ phoneToken: [] }]
  if (access === 'public') return []
  if (access === 'refresh token') return [{ refreshToken: [] }]
  if (access === 'no token') return [{ basic: [] }, { session: [] }]
  const wanted = access === 'any scope' ? [[]] : scopesOf(access).map((scope) => [scope])
  const bearers = wanted.map((scopes) => ({ bearer: scopes }))
  const keys = wanted.map((scopes) => ({ apiKey: scopes }))
  return [{ basic: [] }, ...bearers, ...keys, { session: [] }]
}

function pathParameters({ path }: Route): OperationParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))
}

function queryParameters({ endpoint }: Route, schemas: ComponentSchemas): OperationParameter[] {
  if (!endpoint.query) return []
  const { properties = {}, required = [] } = schemas.add(endpoint.query, 'query')
  return Object.entries(properties).map(([name, member]) => {
    const { description, deprecated, ...schema } = member as JsonSchema
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description && { description }),
      ...(deprecated && { deprecated: true as const }),
      schema,
    }
  })
}

function headerParameters({ endpoint }: Route): OperationParameter[] {
  return Object.entries(endpoint.requestHeaders ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
}

function response(route: Route, status: number, schemas: ComponentSchemas): Response {
  const { answers, mediaType, query } = route.endpoint
  const declared = answers[status]
  const description = status === 501 ? 'Not available in Local Server mode' : (STATUS_CODES[status] ?? 'Answer')
  const own = status < 300 ? route.endpoint.answerHeaders : {}
  if (declared === null) return { description, ...headersOf({ ...own }) }
  if (declared === undefined)
    return { description, ...headersOf(headersOfError(status)), ...json(schemas.add(problem, 'answer')) }
  const headers = query === undefined ? {} : pageHeaders(query, schemas)
  const schema = schemas.add(declared, 'answer')
  return {
    description,
    ...headersOf({ ...headers, ...own }),
    ...(mediaType ? { content: { [mediaType]: { schema } } } : json(schema)),
  }
}

function json(schema: JsonSchema): Pick<Response, 'content'> {
  return { content: { 'application/json': { schema } } }
}

/** Only lists that can be read by offset are counted. */
function pageHeaders(query: z.ZodType, schemas: ComponentSchemas): Readonly<Record<string, string>> {
  const { properties = {} } = schemas.add(query, 'query')
  return { ...('offset' in properties && TOTAL_HEADERS), ...('cursor' in properties && LINK_HEADER) }
}

const TOTAL_HEADERS = {
  'X-Total-Count':
    'Number of items that match the filter. The header is not sent if the page was requested with a cursor',
  'X-Total-Count-Exact':
    '`false` if so many items match that not all were counted. `X-Total-Count` is then the least possible number',
}

const LINK_HEADER = { Link: 'The next page by cursor, `rel="next"`' }

function headersOfError(status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'WWW-Authenticate': 'Accepted authentication schemes' }
  if (status === 429 || status === 503) return { 'Retry-After': 'Seconds to wait' }
  return {}
}

function headersOf(headers: Readonly<Record<string, string>>): Pick<Response, 'headers'> {
  const entries = Object.entries(headers)
  if (entries.length === 0) return {}
  const schema = { type: 'string' } as const
  return { headers: Object.fromEntries(entries.map(([name, description]) => [name, { description, schema }])) }
}
