import type { OpenapiDocument } from '../src/http/openapi/openapi-document.ts'
import type { Operation, OperationParameter } from '../src/http/openapi/operation.ts'
import type { Dice } from './dice.ts'
import { mutatedJson, validValue } from './generate-value.ts'
import { brokenJson, HOSTILE_JSON, HOSTILE_TEXTS } from './hostile-values.ts'

export interface GeneratedRequest {
  readonly method: string
  /** The path as it is sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** The documented operation, or undefined when the path or method is not documented. */
  readonly operation: Operation | undefined
}

export interface Known {
  /** Valid values of the `Authorization` header. */
  readonly good: readonly string[]
  /** Ids from answers, the newest last. */
  readonly ids: readonly string[]
  /** Refresh tokens from answers, some of which are already used. */
  readonly refreshTokens: readonly string[]
}

interface Target {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The operations of a document. */
export function operationsIn({ paths }: OpenapiDocument): Target[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

export function generateRequest(
  targets: readonly Target[],
  document: OpenapiDocument,
  known: Known,
  dice: Dice,
): GeneratedRequest {
  // The operation that clients use most is tried most often.
  const target = dice.once(4) ? (targets.find(({ path }) => path.endsWith('/messages')) as Target) : dice.pick(targets)
  const hostility = dice.pick([0, 0, 0, 1, 1, 2])
  const { parameters, requestBody } = target.operation
  const method = hostility > 0 && dice.once(15) ? dice.pick(METHODS) : target.method
  const headers: Record<string, string> = {
    ...authorization(target, known, hostility, dice),
    ...oddHeaders(parameters, dice),
  }
  const schema = requestBody?.content['application/json']?.schema
  const body = schema && bodyOf(validValue(schema, document.components.schemas, dice), hostility, dice)
  if (body) headers['content-type'] = contentType(hostility, dice)
  return {
    method,
    path: pathOf(target.path, known, hostility, dice) + queryOf(parameters, document, hostility, dice),
    headers,
    body: body ?? (dice.once(20) ? Buffer.from(dice.pick(HOSTILE_JSON)) : undefined),
    operation: targets.find((one) => one.path === target.path && one.method === method)?.operation,
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE', 'SEARCH', 'PURGE']

function bodyOf(value: unknown, hostility: number, dice: Dice): Buffer | undefined {
  if (hostility === 0) return Buffer.from(JSON.stringify(value))
  if (hostility === 1) return Buffer.from(mutatedJson(value, dice))
  if (dice.once(10)) return undefined
  if (dice.once(200)) return Buffer.alloc(dice.pick([262_144, 262_145, 1_000_000]), 'x')
  return dice.once(3) ? Buffer.from(dice.pick(HOSTILE_JSON)) : brokenJson(mutatedJson(value, dice), dice)
}

function contentType(hostility: number, dice: Dice): string {
  return hostility < 2 || dice.once(2) ? 'application/json' : dice.pick(CONTENT_TYPES)
}

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'APPLICATION/JSON',
  'application/json\t',
  'application/json ; a="b;c"',
  'application/json,text/plain',
  'application/json, application/json',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/problem+json',
  ';',
  '/',
  'a/b/c',
  `application/json; ${'x'.repeat(4000)}`,
]

function authorization({ path }: Target, known: Known, hostility: number, dice: Dice): Record<string, string> {
  if (path.endsWith('/auth/token/refresh') && known.refreshTokens.length > 0 && !dice.once(4))
    return { authorization: `Bearer ${dice.pick(known.refreshTokens)}` }
  if (hostility === 0 || !dice.once(6)) return { authorization: dice.pick(known.good) }
  const value = dice.pick([
    '',
    'Basic',
    'Basic ????',
    'Bearer',
    'Bearer a.b.c',
    `Bearer ${'x'.repeat(5000)}`,
    'Digest a=b',
  ])
  return value === '' ? {} : { authorization: dice.once(3) ? `Basic ${btoa(`u${dice.below(50)}:p`)}` : value }
}

function oddHeaders(parameters: readonly OperationParameter[], dice: Dice): Record<string, string> {
  const odd: Record<string, string> = {}
  if (parameters.some(({ name }) => name === 'Idempotency-Key') && dice.once(4))
    odd['idempotency-key'] = dice.once(5) ? dice.pick(HEADER_VALUES) : `key-${dice.below(500)}`
  if (dice.once(10)) odd['accept'] = dice.pick(['application/problem+json', 'text/html', '*/*', ';;', ''])
  if (dice.once(10)) odd['x-request-id'] = dice.pick(HEADER_VALUES)
  if (dice.once(40)) odd['content-encoding'] = dice.pick(['gzip', 'identity', 'br, gzip'])
  if (dice.once(40)) odd['x-http-method-override'] = 'DELETE'
  if (dice.once(40)) odd['x-forwarded-for'] = dice.pick(['127.0.0.1', 'x', '::1, ::', '1'.repeat(3000)])
  if (dice.once(40)) odd['x-forwarded-proto'] = dice.pick(['https', 'http', 'x,https'])
  if (dice.once(40)) odd['accept-version'] = '1.x'
  if (dice.once(40)) odd['if-none-match'] = '*'
  if (dice.once(40)) odd['range'] = 'bytes=0-1'
  return odd
}

const HEADER_VALUES = ['a', 'a b', 'é', 'x'.repeat(256), '', '\x7f'.replace('\x7f', '"'), '__proto__', '0', '../x']

function pathOf(path: string, known: Known, hostility: number, dice: Dice): string {
  const filled = path.replace(/\{\w+\}/g, () => idOf(known, hostility, dice))
  if (hostility === 0) return filled
  let spelled = filled
  if (dice.once(4)) spelled = spelled.replace('/messages', '/message').replace('/webhooks', '/webhook')
  if (dice.once(4)) spelled = spelled.replace(/^\/3rdparty/, '/api/3rdparty')
  if (dice.once(6)) spelled += '/'
  return hostility === 2 && dice.once(20) ? dice.pick(PATHS) : spelled
}

const PATHS = [
  '/',
  '//',
  '/..',
  '/3rdparty/v1/../v1/messages',
  '/3rdparty/v1/messages/%',
  '/3rdparty/v1/messages/%zz',
  '/3rdparty/v1/messages/%ff',
  '/3rdparty/v1/messages/a/b/c/d',
  `/3rdparty/v1/messages/${'a'.repeat(3000)}`,
  '/3rdparty//v2/messages',
  '/3RDPARTY/V1/messages',
  '/3rdparty/v1/messages;a=b',
  '/__proto__/constructor',
]

function idOf({ ids }: Known, hostility: number, dice: Dice): string {
  if (ids.length > 0 && !dice.once(4)) return encodeURIComponent(dice.pick(ids))
  if (hostility === 0) return `unknown-${dice.below(100)}`
  const text = dice.pick(HOSTILE_TEXTS).slice(0, dice.pick([10, 36, 600]))
  return encodeURIComponent(text.toWellFormed() || 'x')
}

function queryOf(
  parameters: readonly OperationParameter[],
  document: OpenapiDocument,
  hostility: number,
  dice: Dice,
): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && dice.once(4))
    .map(({ name, schema }) => {
      const value = String(validValue(schema, document.components.schemas, dice))
      const sent = hostility > 0 && dice.once(2) ? dice.pick(HOSTILE_TEXTS).slice(0, 300) : value
      return `${name}=${encodeURIComponent(sent.toWellFormed())}`
    })
  if (hostility === 2 && dice.once(5)) pairs.push(dice.pick(ODD_QUERIES))
  return pairs.length > 0 ? `?${pairs.join('&')}` : dice.once(10) ? '?' : ''
}

const ODD_QUERIES = [
  'limit=1&limit=2',
  'limit[]=1',
  'limit[__proto__]=1',
  '__proto__=1',
  'from=2026-03-01T00:00:00+07:00',
  'state=%',
  'state=%ff',
  'sender=%00',
  '&&&=&=',
  '?',
  '#',
  `${'a=b&'.repeat(1500)}limit=1`,
]
