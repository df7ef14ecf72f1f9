import type { WebReply, WebRequest } from '@smsgw/virtual-modem/web/web-request'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebHost } from './web-host.ts'

let host: WebHost
let requests: WebRequest[]
let reply: WebReply | undefined

beforeEach(async () => {
  requests = []
  reply = {
    kind: 'answer',
    status: 200,
    headers: { 'content-type': 'text/xml', token: 'a' },
    body: '<response>é</response>',
  }
  host = await WebHost.listen(
    { host: '127.0.0.1', port: 0 },
    async (request) => {
      requests.push(request)
      return reply
    },
    'tcp',
  )
})
afterEach(() => host.close())

const ask = (options?: RequestInit) => fetch(`${host.address.replace('hilink', 'http')}/api/x`, options)

test('passes requests to the stick and returns its replies', async () => {
  const response = await ask({ method: 'POST', body: 'é', headers: { Cookie: 'SessionID=a' } })
  expect([response.status, response.headers.get('token'), await response.text()]).toEqual([
    200,
    'a',
    '<response>é</response>',
  ])
  expect(requests).toMatchObject([{ method: 'POST', path: '/api/x', body: 'é', headers: { cookie: 'SessionID=a' } }])
})

test('closes the connection if the stick sends no reply or only half a reply', async () => {
  reply = { kind: 'dropped' }
  await expect(ask()).rejects.toThrow()
  reply = { kind: 'answer', status: 200, headers: {}, body: '<response>abc</response>', cutAfter: 4 }
  await expect(ask().then((response) => response.text())).rejects.toThrow()
})

test('resets connections while the stick is unplugged', async () => {
  host.takeAway()
  expect(host.describe()).toBe('unplugged')
  await expect(ask()).rejects.toThrow()
  host.bringBack()
  expect((await ask()).status).toBe(200)
  expect(requests).toHaveLength(1)
})
