import { afterAll, beforeAll, expect, test } from 'vitest'
import { Dice } from '../../../fuzz/dice.ts'
import { type FuzzedRelay, fuzzedRelay } from '../../../fuzz/fuzzed-relay.ts'
import { validValue } from '../../../fuzz/generate-value.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { ANSWER_HEADERS } from '../answer/answer-headers.ts'
import { AnswerJudge } from '../testing/answer-judge.ts'
import type { OpenapiDocument } from './openapi-document.ts'
import type { Operation } from './operation.ts'

interface Step {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const database = useTestDatabase()
let relay: FuzzedRelay
let document: OpenapiDocument
let steps: readonly Step[]

beforeAll(async () => {
  relay = await fuzzedRelay(database.url)
  await relay.refill()
  document = (await (await fetch(`${relay.url}/openapi.json`)).json()) as OpenapiDocument
  steps = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
})
afterAll(() => relay.close())

const BASE = '/3rdparty/v1'

test('the server answers exactly the documented paths, under both prefixes', async () => {
  for (const path of Object.keys(document.paths)) {
    for (const prefix of path.startsWith(BASE) ? ['', '/api'] : ['']) {
      const called = path.replace(/\{\w+\}/g, 'x')
      const response = await fetch(relay.url + prefix + called, { method: 'OPTIONS' })
      const allowed = (response.headers.get('allow') ?? '').split(', ')
      const named = Object.keys(document.paths[path] ?? {}).map((method) => method.toUpperCase())
      expect(allowed.filter((method) => !['HEAD', 'OPTIONS'].includes(method)).sort(), called).toEqual(named.sort())
    }
  }
})

test('every operation has a unique name and its scope', () => {
  const names = steps.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toContain('getMessagesById')
  expect(document.paths[`${BASE}/messages`]?.['post']?.security).toEqual([
    { basic: [] },
    { bearer: ['messages:send'] },
    { apiKey: ['messages:send'] },
    { session: [] },
  ])
})

test('the parameters of an operation have different names in code, where generators remove hyphens and ignore case', () => {
  for (const { operation, method, path } of steps) {
    const names = operation.parameters.map(({ name }) => name.replace(/\W/g, '').toLowerCase())
    expect([...new Set(names)], `${method} ${path}`).toEqual(names)
  }
})

test('the members and schemas have different names in code, where generators remove underscores and ignore case', () => {
  const inCode = (name: string) => name.replace(/\W|_/g, '').toLowerCase()
  const collisions = (names: readonly string[]) =>
    names.filter((name) => names.some((other) => other !== name && inCode(other) === inCode(name)))
  const schemas = Object.entries(document.components.schemas)
  for (const [name, { properties }] of schemas)
    expect([name, collisions(Object.keys(properties ?? {}))]).toEqual([name, []])
  const names = schemas.map(([name]) => name)
  expect(collisions(names)).toEqual([])
  // In Go, `NewX` is the constructor of `X`.
  expect(names.filter((name) => names.includes(`New${name}`))).toEqual([])
})

test('each tag and each login is described once, and each body of a webhook has a name', () => {
  const webhooks = Object.values(document.webhooks).map(({ post }) => post)
  const operations = [...steps.map(({ operation }) => operation), ...webhooks]
  const unique = (names: readonly string[]) => [...new Set(names)].sort()
  expect(document.tags.map(({ name }) => name).sort()).toEqual(unique(operations.flatMap(({ tags }) => tags)))
  expect(Object.keys(document.components.securitySchemes).sort()).toEqual(
    unique(operations.flatMap(({ security }) => security.flatMap(Object.keys))),
  )
  for (const { requestBody, operationId } of webhooks)
    expect(requestBody.content['application/json']?.schema.$ref).toBe(
      `#/components/schemas/${operationId.replace(/^on/, '')}Event`,
    )
})

test('metrics require the token of the settings', () => {
  const { description, security } = document.paths['/metrics']?.['get'] ?? {}
  expect([description, security]).toEqual([
    'Requires the value of `METRICS_TOKEN` as bearer token.',
    [{ settingToken: [] }],
  ])
})

test('every operation succeeds and matches its schema, and no answer with texts or secrets is compressed', async () => {
  const judge = new AnswerJudge(document)
  const dice = new Dice(1)
  const answers = new Map<string, unknown>()
  const compressible = new Set<string>()
  const waiting = inOrder(steps)
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ path }) => !path.includes('{') || idFor(path, answers) !== undefined)
    const [{ method, path, operation } = waiting[0] as Step] = waiting.splice(Math.max(next, 0), 1)
    const schema = operation.requestBody?.content['application/json']?.schema
    const body = schema && JSON.stringify(examples[path] ?? validValue(schema, document.components.schemas, dice))
    const response = await fetch(
      relay.url +
        path.replace('{partId}', '1').replace(/\{\w+\}/, () => encodeURIComponent(idFor(path, answers) ?? 'unknown')) +
        (queries[path] ?? ''),
      {
        method,
        headers: { authorization: credentials(path, answers), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body }),
      },
    )
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      // An event stream has no end, so only its beginning is checked.
      text: path.endsWith('/events') ? String((await response.body?.cancel()) ?? '') : await response.text(),
    }
    if (response.headers.has('vary')) compressible.add(`${method} ${path}`)
    const absent = ABSENT_HERE[path]
    if (absent !== undefined) expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(absent)
    else expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    expect(judge.problemOf(method, operation, answer), `${method} ${path}`).toBeUndefined()
    expect(headerProblems(operation, response), `${method} ${path}`).toEqual([])
    if (answer.text.startsWith('{') || answer.text.startsWith('[')) answers.set(path, JSON.parse(answer.text))
  }
  // If a secret and a text of a stranger are compressed together, the length of the answer can reveal the secret. So
  // only these operations may be compressed (docs/decisions/0019-compressed-answers.md).
  expect([...compressible].sort()).toEqual([
    `GET ${BASE}/devices/{id}/telemetry`,
    `GET ${BASE}/logs`,
    `GET ${BASE}/messages/{id}/timeline`,
    `GET ${BASE}/statistics`,
    'GET /api/docs/doc.json',
    'GET /docs/{file}',
    'GET /mobile/openapi.json',
    'GET /openapi.json',
  ])
})

/** Returns the headers that are sent but not documented, and the total if it is documented but not sent. */
function headerProblems(operation: Operation, { status, headers }: Response): string[] {
  const documented = Object.keys(operation.responses[status]?.headers ?? {}).map((name) => name.toLowerCase())
  const undocumented = [...headers.keys()].filter((name) => !OF_ANY_ANSWER.has(name) && !documented.includes(name))
  const isMissing = documented.includes('x-total-count') && !headers.has('x-total-count')
  return isMissing ? [...undocumented, 'x-total-count is missing'] : undocumented
}

/** Headers that any answer may have, and headers for browsers, caches and proxies. */
const OF_ANY_ANSWER: ReadonlySet<string> = new Set([
  ...Object.keys(ANSWER_HEADERS),
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id'],
  ...['access-control-allow-origin', 'content-encoding', 'etag', 'vary', 'x-accel-buffering'],
])

/**
 * The expected statuses of operations that cannot succeed here, because this relay has no connected agent, no virtual
 * modem, no MMS, no message that waits for approval, and no note with the id of the walk.
 */
const ABSENT_HERE: Readonly<Record<string, number>> = {
  [`${BASE}/conversations/{number}/notes/{id}`]: 404,
  [`${BASE}/devices/{id}/findings`]: 409,
  [`${BASE}/devices/{id}/ussd`]: 503,
  [`${BASE}/devices/{id}/pin`]: 409,
  [`${BASE}/devices/{id}/restart-modem`]: 409,
  [`${BASE}/messages/{id}/attachments/{partId}`]: 404,
  [`${BASE}/messages/{id}/approve`]: 409,
  [`${BASE}/messages/{id}/refuse`]: 409,
  [`${BASE}/virtual-phone`]: 404,
}

/** Sorts operations so that resources are created, then read, then changed and deleted. */
function inOrder(all: readonly Step[]): Step[] {
  return [...all].sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method))
}

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE']

/** Request bodies for operations that refuse some bodies although their schema allows them. */
const examples: Readonly<Record<string, object>> = {
  [`${BASE}/messages`]: { phoneNumbers: ['+4915112345678'], textMessage: { text: 'hello' } },
  [`${BASE}/account/password`]: { currentPassword: 'a password to be fuzzed', newPassword: 'a password to be fuzzed' },
  [`${BASE}/session`]: { username: 'fuzz', password: 'a password to be fuzzed' },
  [`${BASE}/webhooks`]: { url: 'https://example.org/', event: 'sms:received' },
  [`${BASE}/webhooks/{id}`]: { name: 'Support desk', events: ['sms:received', 'sms:failed'], paused: false },
  [`${BASE}/webhooks/{id}/redeliver`]: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  [`${BASE}/conversations/{number}`]: { archived: true, unread: true },
  [`${BASE}/devices/{id}/pin`]: { simNumber: 1, pin: '1234' },
  [`${BASE}/settings`]: { messages: { processing_order: 'LIFO' } },
}

/** Queries of operations whose parameters are optional only for some API keys. */
const queries: Readonly<Record<string, string>> = {
  '/hooks/alertmanager': '?to=%2B4915112345678',
  '/hooks/grafana': '?to=%2B4915112345678',
}

/** Returns an id that an earlier answer contains. */
function idFor(path: string, answers: ReadonlyMap<string, unknown>): string | undefined {
  if (path === '/docs/{file}') return 'docs.js'
  const before = path.slice(0, path.indexOf('/{'))
  const source = before.endsWith('/deliveries') ? `${BASE}/webhooks/{id}/deliveries` : before
  const told = answers.get(source)
  const thing = (Array.isArray(told) ? told[0] : told) as { id?: string; number?: string } | undefined
  return thing?.id ?? thing?.number
}

function credentials(path: string, answers: ReadonlyMap<string, unknown>): string {
  if (path === '/metrics') return relay.good.at(-1) ?? ''
  if (!path.endsWith('/auth/token/refresh')) return relay.good[0] ?? ''
  const pair = answers.get(`${BASE}/auth/token`) as { refresh_token: string }
  return `Bearer ${pair.refresh_token}`
}
