import { idParams } from '@smsgw/contract/fields/ids'
import { listMessagesQuery, messageState, sendMessageRequest } from '@smsgw/contract/messages/message'
import { webhookPayloads } from '@smsgw/contract/webhooks/webhook-event'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type EndpointDefinition, endpoint } from '../endpoint.ts'
import { everywhereRoute, rootRoute, route } from '../route.ts'
import { openapiDocument } from './openapi-document.ts'
import type { Operation, Response } from './operation.ts'

function answering(definition: Partial<EndpointDefinition<z.ZodType, z.ZodType, z.ZodType>>) {
  return endpoint({ answers: {}, handle: async () => ({ status: 204 }), ...definition })
}

const send = answering({ body: sendMessageRequest, answers: { 202: messageState }, errors: [409] })
const list = answering({ query: listMessagesQuery, answers: { 200: z.array(messageState) } })
const cancel = answering({ params: idParams, answers: { 204: null }, deprecated: true })
const routes = [
  route('POST', '/messages', 'messages:send', 'Sends', { ...send, requestHeaders: { 'Idempotency-Key': 'Once' } }),
  route('GET', '/messages', 'messages:list', 'Lists', list),
  route('DELETE', '/messages/{id}', 'messages:cancel', 'Cancels', cancel),
  everywhereRoute('GET', '/health', 'public', 'Is well', answering({})),
  rootRoute('GET', '/docs', 'public', 'Says', answering({ answers: { 200: z.string() }, mediaType: 'text/html' })),
]
const document = openapiDocument(routes, '1.2.3')
const at = (path: string, method: string) => document.paths[path]?.[method]

test('paths are complete and unique, and root paths are at the root', () => {
  const messages = '/3rdparty/v1/messages'
  expect(Object.keys(document.paths)).toEqual([messages, `${messages}/{id}`, '/health', '/3rdparty/v1/health', '/docs'])
  expect(Object.keys(document.paths[messages] ?? {})).toEqual(['post', 'get'])
})

test('every reference has a target', () => {
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '')
  expect(references.length).toBeGreaterThan(10)
  expect(references.filter((name) => document.components.schemas[name] === undefined)).toEqual([])
  expect(text.match(/"\$ref":"(?!#\/components\/)/)).toBeNull()
})

test('a request is described with an example, older spellings and deprecated members', () => {
  const { SendMessageRequest: request } = document.components.schemas
  expect(Object.keys(request?.properties ?? {})).toEqual(expect.arrayContaining(['recipient', 'message', 'ttl']))
  expect(request?.properties).toMatchObject({ message: { deprecated: true }, scheduleAt: { format: 'date-time' } })
  expect(request?.examples?.map((example) => sendMessageRequest.safeParse(example).success)).toEqual([true])
})

test('parameters come from path, query and headers', () => {
  expect(at('/3rdparty/v1/messages/{id}', 'delete')?.parameters).toMatchObject([
    { name: 'id', in: 'path', required: true },
  ])
  expect(at('/3rdparty/v1/messages', 'post')?.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header' }])
  expect(at('/3rdparty/v1/messages', 'get')?.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: 'Maximum number of items per page',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  })
})

test('every answer of a route is described, with the common schema for errors and the headers of pages', () => {
  expect(Object.keys(at('/3rdparty/v1/messages', 'post')?.responses ?? {})).toEqual([
    '202',
    '400',
    '401',
    '403',
    '408',
    '409',
    '413',
    '415',
    '429',
    '500',
    '503',
  ])
  expect(at('/3rdparty/v1/messages', 'post')?.responses['409']?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/Problem' } },
  })
  expect(Object.keys(at('/3rdparty/v1/messages', 'get')?.responses['200']?.headers ?? {})).toEqual([
    'X-Total-Count',
    'X-Total-Count-Exact',
    'Link',
  ])
  expect(at('/3rdparty/v1/messages/{id}', 'delete')).toMatchObject({
    deprecated: true,
    responses: { 204: { description: 'No Content' } },
  })
  expect(Object.keys(at('/docs', 'get')?.responses['200']?.content ?? {})).toEqual(['text/html'])
})

test('every webhook event has a payload, and phoneNumber is deprecated in each', () => {
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(webhookPayloads))
  const payloads = Object.entries(document.components.schemas).filter(
    ([, { properties }]) => properties?.['phoneNumber'],
  )
  const outdated = payloads.filter(([name]) => name.endsWith('Payload'))
  expect(outdated.length).toBe(8)
  for (const [name, { properties }] of outdated)
    expect(properties?.['phoneNumber'], name).toMatchObject({ deprecated: true })
})

test('a member with a default is optional in a request and shows the default', () => {
  const { SendMessageRequest: request } = document.components.schemas
  const members = Object.values(request?.properties ?? {}) as { default?: unknown; description?: string }[]
  expect(members.filter((member) => member.default !== undefined)).toEqual([])
  expect(request?.properties?.['withDeliveryReport']).toMatchObject({
    description: expect.stringContaining('default: true'),
  })
})

test('a flag that is present only when it is true is described as a boolean, without a constant', () => {
  const answer = answering({ answers: { 200: z.object({ isPhone: z.literal(true).optional() }) } })
  const { paths } = openapiDocument([route('GET', '/devices', 'any scope', 'Lists', answer)], '1')
  const answers = paths['/3rdparty/v1/devices']?.['get']?.responses
  expect(answers?.['200']?.content?.['application/json']?.schema.properties?.['isPhone']).toEqual({ type: 'boolean' })
})

test('a body is required only if the endpoint needs one, and only a request shows that it refuses unknown members', () => {
  const exact = z.strictObject({ overlapSeconds: z.int() })
  const described = openapiDocument(
    [
      route('POST', '/a', 'any scope', 'A', answering({ body: exact.default({ overlapSeconds: 0 }) })),
      route('POST', '/b', 'any scope', 'B', answering({ body: exact, answers: { 200: exact } })),
    ],
    '1',
  )
  const operations = ['a', 'b'].map((name) => described.paths[`/3rdparty/v1/${name}`]?.['post'])
  expect(operations).toMatchObject([{ requestBody: { required: false } }, { requestBody: { required: true } }])
  const schemaIn = (part: Response | Operation['requestBody']) => part?.content?.['application/json']?.schema
  expect(schemaIn(operations[1]?.requestBody)).toMatchObject({ additionalProperties: false })
  expect(schemaIn(operations[1]?.responses['200'])).not.toHaveProperty('additionalProperties')
})

test('operations that are not available everywhere, or accept an unknown id, are described as such', () => {
  const own = [
    route('POST', '/auth/token', 'tokens:manage', 'Issues', answering({ unavailable: undefined })),
    route(
      'DELETE',
      '/hooks/{id}',
      'public',
      'Removes',
      answering({ params: idParams, answers: { 204: null }, unknownId: 204 }),
    ),
    route(
      'POST',
      '/hooks',
      'public',
      'Makes',
      answering({ answers: { 201: null }, answerHeaders: { Location: 'Path' } }),
    ),
  ]
  const { paths } = openapiDocument(own, '1.2.3')
  const answers = (path: string, method: string) => paths[`/3rdparty/v1${path}`]?.[method]?.responses ?? {}
  expect(Object.keys(answers('/auth/token', 'post'))).toContain('501')
  expect(Object.keys(answers('/hooks/{id}', 'delete'))).not.toContain('404')
  expect(answers('/hooks', 'post')['201']?.headers).toHaveProperty('Location')
})

test('each webhook operation has a name and describes its signature', () => {
  const operations = Object.values(document.webhooks).map(({ post }) => post)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { security } of operations) {
    const schemes = security.flatMap((one) => Object.keys(one))
    expect(schemes.length).toBeGreaterThan(0)
    expect(document.components.securitySchemes).toMatchObject(Object.fromEntries(schemes.map((name) => [name, {}])))
  }
})

test('two schemas with the same name are refused', () => {
  const [one, other] = [z.object({ a: z.string() }).meta({ id: 'Twin' }), z.object({ a: z.int() })]
  const twins = [
    route('GET', '/a', 'logs:read', 'A', answering({ answers: { 200: one } })),
    route('GET', '/b', 'logs:read', 'B', answering({ answers: { 200: z.array(other.meta({ id: 'Twin' })) } })),
  ]
  expect(() => openapiDocument(twins, '1.2.3')).toThrow('Twin')
})
