import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fastifyReceiver, fetchReceiver, nodeReceiver, type ReceiverOptions } from './webhook-receiver.ts'

// Express has no type declarations.
const require = createRequire(import.meta.url)
const express = require('express')

const SECRET = `whsec_${Buffer.from('a key of 24 random bytes').toString('base64')}`
const event = { deviceId: 'd', event: 'sms:received', id: 'e1', payload: { message: 'grüße' }, webhookId: 'w' }

type Start = (options: ReceiverOptions) => Promise<string>

const servers: Readonly<Record<string, Start>> = {
  'node:http': async (options) => listen(nodeReceiver(options)),
  Express: async (options) => {
    const app = express()
    app.post('/', nodeReceiver(options))
    app.use(express.json())
    return listen(app)
  },
  'Express with a raw body': async (options) => {
    const app = express()
    app.post('/', express.raw({ type: 'application/json' }), nodeReceiver(options))
    return listen(app)
  },
  Fastify: async (options) => {
    const app = fastify()
    app.post('/other', async ({ body }) => body)
    app.register(fastifyReceiver({ ...options, path: '/' }))
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  fetch: async (options) => {
    const handle = fetchReceiver(options)
    return listen(async (incoming, outgoing) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const request = new Request('http://receiver/', {
        method: incoming.method ?? 'GET',
        headers: incoming.headers as Record<string, string>,
        ...(body.length > 0 && { body }),
      })
      outgoing.writeHead((await handle(request)).status).end()
    })
  },
}

describe.each(Object.entries(servers))('%s', (_, start) => {
  test('passes a genuine event to the handler and answers 204', async () => {
    const onEvent = vi.fn()
    const url = await start({ secret: SECRET, onEvent })
    expect(await post(url)).toBe(204)
    expect(onEvent.mock.calls).toEqual([[event]])
  })

  test('answers 401 to a forged request without calling the handler', async () => {
    const onEvent = vi.fn()
    const onError = vi.fn()
    const url = await start({ secret: SECRET, onEvent, onError })
    expect(await post(url, { signed: '{}' })).toBe(401)
    expect(onEvent).not.toHaveBeenCalled()
    expect(onError.mock.calls).toMatchObject([[{ problem: 'wrong_signature' }]])
  })

  test('answers 500 when the handler fails, so that the event is sent again', async () => {
    const problem = new Error('disk full')
    const onError = vi.fn()
    const url = await start({ secret: SECRET, onEvent: () => Promise.reject(problem), onError })
    expect(await post(url)).toBe(500)
    expect(onError.mock.calls).toEqual([[problem]])
  })

  test('refuses a body that is too long', async () => {
    const url = await start({ secret: SECRET, onEvent: () => undefined })
    expect(await post(url, { body: 'x'.repeat(10_000_001) })).toBe(413)
  })
})

test('other routes of Fastify still receive parsed JSON', async () => {
  const url = await servers['Fastify']?.({ secret: SECRET, onEvent: () => undefined })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/other`, { method: 'POST', headers, body: '{"a":1}' })
  expect(await answer.json()).toEqual({ a: 1 })
})

test('a body that express.json() has parsed is answered with 500 and advice', async () => {
  const onError = vi.fn()
  const app = express().use(express.json())
  app.post('/', nodeReceiver({ secret: SECRET, onEvent: () => undefined, onError }))
  expect(await post(await listen(app))).toBe(500)
  expect(String(onError.mock.calls[0]?.[0])).toContain('register the receiver before express.json()')
})

test('only POST is allowed', async () => {
  const url = await listen(nodeReceiver({ secret: SECRET, onEvent: () => undefined }))
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function post(
  url: string,
  { body = JSON.stringify(event), signed = body }: { body?: string; signed?: string } = {},
): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64')
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'e1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${createHmac('sha256', key).update(`e1.${timestamp}.${signed}`).digest('base64')}`,
    },
    body,
  })
  return answer.status
}
