import { createHash } from 'node:crypto'
import { sendMessageRequest } from '@smsgw/contract/message'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { openapiDocument } from '../openapi/openapi-document.ts'
import { type Route, rootRoute, route } from '../route.ts'
import { testServer } from '../testing/test-server.ts'
import { getDocs } from './get-docs.ts'

const NASTY = '<img src=x onerror=alert(1)> & "quotes" `<code>`'

async function fetchPage() {
  const send = endpoint({
    body: sendMessageRequest,
    query: z.object({ odd: z.string().meta({ description: NASTY, examples: [NASTY] }) }),
    answers: { 202: z.object({ nested: z.array(z.object({ deep: z.boolean() })) }) },
    handle: async () => ({ status: 202 }),
  })
  const routes: Route[] = [
    route('POST', '/messages', 'messages:send', NASTY, send),
    rootRoute(
      'GET',
      '/docs',
      'public',
      'Describes',
      getDocs(() => openapiDocument(routes, '1.2.3')),
    ),
  ]
  await using server = await testServer({ routes })
  const response = await server.send('GET', '/docs')
  return { headers: response.headers, page: await response.text() }
}

test('the page shows each operation with its members, examples and answers', async () => {
  const { headers, page } = await fetchPage()
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  for (const words of [
    '/3rdparty/v1/messages',
    'messages:send',
    'textMessage.text',
    'nested[].deep',
    'curl -u user:password',
  ])
    expect(page).toContain(words)
  for (const event of ['sms:received', 'sms:delivered', 'mms:received']) expect(page).toContain(event)
  expect(page).toContain('id="migrate-phone-number"')
})

test('nothing of a description becomes markup', async () => {
  const { page } = await fetchPage()
  expect(page).not.toContain('<img')
  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quotes&quot; <code>&lt;code&gt;</code>')
})

test('nothing is fetched from anywhere, no script runs, and the policy allows its one style sheet alone', async () => {
  const { headers, page } = await fetchPage()
  expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|base)\b|<[^>]*\s(?:src|style|on\w+)=|@import|url\(/)
  expect(
    [...page.matchAll(/href="([^"]*)"/g)].map(([, target]) => target).filter((target) => !/^[#/]/.test(target ?? '')),
  ).toEqual([])
  const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
})

test('every link within the page leads somewhere', async () => {
  const { page } = await fetchPage()
  const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
  expect(targets.length).toBeGreaterThan(8)
  expect(targets.filter((target) => !ids.has(target))).toEqual([])
})
