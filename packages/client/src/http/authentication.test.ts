import { expect, test, vi } from 'vitest'
import {
  dropConnection,
  json,
  problemAnswer,
  type ScriptedAnswer,
  scriptedServer,
} from '../../testing/scripted-server.ts'
import { SmsGateway } from '../client.ts'
import { ConnectionError } from '../errors.ts'

const first = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: '2100-01-01T00:00:00.000Z' }
const second = { accessToken: 'access-2', refreshToken: 'refresh-2', expiresAt: '2100-01-01T01:00:00.000Z' }

/** Accepts one access token, and exchanges refresh tokens. */
const gatewayAccepting =
  (accessToken: string): ScriptedAnswer =>
  (response, request) => {
    const { authorization } = request.headers
    if (request.url.endsWith('/auth/token/refresh')) {
      const isKnown = authorization === `Bearer ${first.refreshToken}`
      return (isKnown ? json(201, second) : problemAnswer(401, 'the token is revoked'))(response, request)
    }
    const isValid = authorization === `Bearer ${accessToken}`
    return (isValid ? json(200, []) : problemAnswer(401, 'the token has expired'))(response, request)
  }

test('an expired access token is refreshed once for all waiting requests, and the new pair is stored', async () => {
  const { url, requests } = await scriptedServer(gatewayAccepting(second.accessToken))
  const onRefresh = vi.fn()
  const sms = new SmsGateway({ url, credentials: { ...first, onRefresh } })
  await Promise.all([sms.devices.list(), sms.devices.list(), sms.webhooks.list()])
  expect(onRefresh.mock.calls).toEqual([[second]])
  expect(requests.filter(({ url }) => url.endsWith('/refresh'))).toHaveLength(1)
})

test('a pair whose access token is about to expire is refreshed before the request', async () => {
  const { url, requests } = await scriptedServer(gatewayAccepting(second.accessToken))
  const expiresAt = new Date(Date.now() + 10_000).toISOString()
  const sms = new SmsGateway({ url, credentials: { ...first, expiresAt, onRefresh: () => undefined } })
  await sms.devices.list()
  expect(requests.map(({ url }) => url.split('/v1')[1])).toEqual(['/auth/token/refresh', '/devices'])
})

test('a refresh whose answer was lost is not repeated, because a second use revokes the pair', async () => {
  const { url, requests } = await scriptedServer(problemAnswer(401, 'the token has expired'), dropConnection)
  const sms = new SmsGateway({ url, credentials: { ...first, onRefresh: () => undefined }, maxRetries: 0 })
  await expect(sms.devices.list()).rejects.toThrow(ConnectionError)
  expect(requests).toHaveLength(2)
})

test('a revoked refresh token causes an AuthenticationError', async () => {
  const { url } = await scriptedServer(problemAnswer(401, 'the token is revoked'))
  const sms = new SmsGateway({ url, credentials: { ...first, onRefresh: () => undefined } })
  await expect(sms.devices.list()).rejects.toMatchObject({
    name: 'AuthenticationError',
    message: 'the token is revoked',
  })
})

test('an API key and an access token are sent as bearer, and are not refreshed', async () => {
  const { url, requests } = await scriptedServer(problemAnswer(401, 'unknown key'))
  for (const credentials of [{ apiKey: 'key-1' }, { accessToken: 'access-1' }])
    await expect(new SmsGateway({ url, credentials }).devices.list()).rejects.toThrow('unknown key')
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer access-1'])
})

test('a password with characters beyond ASCII is sent as UTF-8', async () => {
  const { url, requests } = await scriptedServer(json(200, []))
  await new SmsGateway({ url, credentials: { username: 'sms', password: 'grüße' } }).devices.list()
  expect(requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('sms:grüße').toString('base64')}`)
})
