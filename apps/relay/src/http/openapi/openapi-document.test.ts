import { idParams } from '@smsgw/contract/ids'
import { listMessagesQuery, messageState, sendMessageRequest } from '@smsgw/contract/message'
import { webhookPayloads } from '@smsgw/contract/webhook-event'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type EndpointDefinition, endpoint } from '../endpoint.ts'
import { everywhereRoute, rootRoute, route } from '../route.ts'
import { openapiDocument } from './openapi-document.ts'

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

test('paths are whole, each once, and root ones stand at the root', () => {
  const messages = '/3rdparty/v1/messages'
  expect(Object.keys(document.paths)).toEqual([messages, `${messages}/{id}`, '/health', '/docs'])
  expect(Object.keys(document.paths[messages] ?? {})).toEqual(['post', 'get'])
})

test('every reference leads somewhere', () => {
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '')
  expect(references.length).toBeGreaterThan(10)
  expect(references.filter((name) => document.components.schemas[name] === undefined)).toEqual([])
  expect(text.match(/"\$ref":"(?!#\/components\/)/)).toBeNull()
})

test('a request is described as it is sent: older spellings, deprecated ones, and an example', () => {
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
    description: 'Items of one page',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  })
})

test('every answer of a route is there, errors with the one shape, pages with their headers', () => {
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
    'Link',
  ])
  expect(at('/3rdparty/v1/messages/{id}', 'delete')).toMatchObject({
    deprecated: true,
    responses: { 204: { description: 'No Content' } },
  })
  expect(Object.keys(at('/docs', 'get')?.responses['200']?.content ?? {})).toEqual(['text/html'])
})

test('every event that is told has its payload, and phoneNumber is deprecated in each that has one', () => {
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(webhookPayloads))
  const payloads = Object.entries(document.components.schemas).filter(
    ([, { properties }]) => properties?.['phoneNumber'],
  )
  const outdated = payloads.filter(([name]) => name.endsWith('Payload'))
  expect(outdated.length).toBe(7)
  for (const [name, { properties }] of outdated)
    expect(properties?.['phoneNumber'], name).toMatchObject({ deprecated: true })
})

test('two schemas of one name are refused', () => {
  const [one, other] = [z.object({ a: z.string() }).meta({ id: 'Twin' }), z.object({ a: z.int() })]
  const twins = [
    route('GET', '/a', 'logs:read', 'A', answering({ answers: { 200: one } })),
    route('GET', '/b', 'logs:read', 'B', answering({ answers: { 200: z.array(other.meta({ id: 'Twin' })) } })),
  ]
  expect(() => openapiDocument(twins, '1.2.3')).toThrow('Twin')
})
