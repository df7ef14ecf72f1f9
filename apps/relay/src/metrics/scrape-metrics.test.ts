import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { rootRoute, route } from '../http/route.ts'
import { testServer } from '../http/testing/test-server.ts'
import { openMetrics } from './metrics.ts'
import { scrapeMetrics } from './scrape-metrics.ts'

const show = endpoint({
  params: z.object({ id: z.string() }),
  answers: { 200: z.string() },
  handle: async ({ params }) => ({ status: 200, body: params.id }),
})

async function scrape(token?: string, authorization?: string) {
  const { registry, observe } = openMetrics()
  const routes = [
    route('GET', '/messages/{id}', 'messages:read', 'Shows', show),
    rootRoute('GET', '/metrics', 'public', 'Get metrics', scrapeMetrics(registry, token)),
  ]
  await using server = await testServer({ routes, observe })
  await server.send('GET', '/3rdparty/v1/messages/4915112345678', { headers: { authorization: 'all:any' } })
  await server.send('GET', '/3rdparty/v1/message/4915112345679')
  const response = await server.send(
    'GET',
    '/metrics',
    authorization === undefined ? {} : { headers: { authorization } },
  )
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('requests are counted by route and status, without ids or phone numbers in labels', async () => {
  const { status, type, text } = await scrape()
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  for (const code of [200, 401])
    expect(text).toContain(
      `smsgw_http_request_duration_seconds_count{method="GET",route="/messages/{id}",status="${code}"} 1`,
    )
  expect(text).not.toContain('4915112345')
  const names = text.match(/^# TYPE \S+/gm) ?? []
  expect(names.filter((name) => !name.startsWith('# TYPE smsgw_'))).toEqual([])
})

test('only counters have names that end with _total, as `promtool check metrics` requires', async () => {
  const { text } = await scrape()
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  expect(types.length).toBeGreaterThan(10)
  for (const { name, type } of types) expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
})

test('a configured token is required', async () => {
  const token = 'a token of some length'
  expect((await scrape(token)).status).toBe(401)
  expect((await scrape(token, 'Bearer another')).status).toBe(401)
  expect((await scrape(token, `Bearer ${token}`)).status).toBe(200)
})
