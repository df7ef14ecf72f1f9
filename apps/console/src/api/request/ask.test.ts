import { afterEach, expect, test, vi } from 'vitest'
import { ApiFailure, abortRequests, ask, askToSignOut, queryString, SessionEnded } from './ask.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

function answerWith(answer: Response | Error): ReturnType<typeof vi.fn> {
  const fetching = vi.fn(() => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)))
  vi.stubGlobal('fetch', fetching)
  return fetching
}

test('sends JSON and returns the body with the cursors and the limit of a search', async () => {
  const headers = {
    link: '</3rdparty/v1/x?q=a&cursor=older>; rel="next", </3rdparty/v1/x?cursor=newer>; rel="prev"',
    'x-searched-since': '2026-03-01T08:00:00.000Z',
  }
  const fetching = answerWith(new Response('[1]', { headers }))
  expect(await ask('POST', '/x', { a: 1 }, undefined, { 'idempotency-key': 'k' })).toEqual({
    body: [1],
    nextCursor: 'older',
    prevCursor: 'newer',
    searchedSince: '2026-03-01T08:00:00.000Z',
  })
  const [url, request] = fetching.mock.calls[0] ?? []
  expect([url, request.method, request.body]).toEqual(['/3rdparty/v1/x', 'POST', '{"a":1}'])
  expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' })
})

test('an answer tells the total of a list, and whether there may be more', async () => {
  const totalOf = async (headers: Record<string, string>) => {
    answerWith(new Response('[]', { headers }))
    const { total, isTotalExact } = await ask('GET', '/messages')
    return [total, isTotalExact]
  }
  expect(await totalOf({ 'x-total-count': '7' })).toEqual([7, true])
  expect(await totalOf({ 'x-total-count': '50000', 'x-total-count-exact': 'false' })).toEqual([50_000, false])
  expect(await totalOf({})).toEqual([undefined, undefined])
})

test('an answer without a body or a Link header has neither', async () => {
  answerWith(new Response(null, { status: 204 }))
  expect(await ask('DELETE', '/x')).toMatchObject({ body: undefined, nextCursor: undefined, prevCursor: undefined })
})

test('the error of a refused request names the wrong member', async () => {
  const errors = [{ path: 'phoneNumbers[0]', reason: 'phone_number_invalid', values: { value: 'hello' }, message: '' }]
  answerWith(new Response(JSON.stringify({ message: 'Invalid request', errors }), { status: 400 }))
  const failure = await ask('POST', '/messages', {}).catch((error: unknown) => error)
  if (!(failure instanceof ApiFailure)) throw failure
  expect([failure.status, failure.message]).toEqual([400, 'Invalid request'])
  expect(failure.about('phoneNumbers')).toContain('hello')
  expect(failure.about('phone')).toBeUndefined()
  expect(failure.isOnlyAbout(['phoneNumbers', 'text'])).toBe(true)
  expect(failure.isOnlyAbout(['text'])).toBe(false)
})

test.each(['<html>Bad gateway</html>', '"text"', 'null'])(
  'an error answer that is not a problem document keeps its status: %s',
  async (text) => {
    answerWith(new Response(text, { status: 502 }))
    await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 502, problem: {} })
  },
)

test('without an answer the failure has status 0, and an aborted request stays aborted', async () => {
  answerWith(new TypeError('Failed to fetch'))
  await expect(ask('GET', '/x')).rejects.toMatchObject({ status: 0 })
  answerWith(new DOMException('', 'AbortError'))
  await expect(ask('GET', '/x')).rejects.toMatchObject({ name: 'AbortError' })
})

test('the end of a session aborts its requests, but no later ones', async () => {
  const fetching = vi.fn(
    (_, { signal }: RequestInit) =>
      new Promise<Response>((resolve, reject) => {
        if (fetching.mock.calls.length > 1) resolve(new Response('"of the next user"'))
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  vi.stubGlobal('fetch', fetching)
  const former = ask('PATCH', '/settings', {})
  abortRequests(new SessionEnded(true))
  const next = ask('GET', '/settings')
  await expect(former).rejects.toMatchObject({ name: 'SessionEnded', isSignOut: true })
  expect((await next).body).toBe('of the next user')
})

test('a sign-out reaches the gateway even if another request has found that the session has ended', async () => {
  const answer = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    signal?.addEventListener('abort', () => answer.reject(signal.reason))
    return answer.promise
  })
  const signingOut = askToSignOut()
  abortRequests(new SessionEnded(false))
  answer.resolve(new Response(null, { status: 204 }))
  await expect(signingOut).resolves.toBeUndefined()
})

test('a query leaves out empty values, and encodes all others', () => {
  expect(queryString({ q: 'a&b', empty: '', none: undefined, zero: 0, no: false })).toBe('?q=a%26b&zero=0&no=false')
  expect(queryString({ q: '' })).toBe('')
})
