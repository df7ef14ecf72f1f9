import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compressedAnswer } from './send-answer.ts'

const long = { status: 200, body: Array.from({ length: 500 }, (_, id) => ({ id, message: 'modem ready' })) }

test.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.8'])(
  '%s: a long answer is compressed',
  async (accepted) => {
    const { body, headers } = await compressedAnswer(long, { 'accept-encoding': accepted })
    expect(JSON.parse(gunzipSync(body as Buffer).toString())).toEqual(long.body)
    expect(headers).toEqual({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  },
)

test.each(['', 'identity', 'br', 'gzip;q=0', 'x-gzip-like'])('%j: the answer is not compressed', async (accepted) => {
  const answer = await compressedAnswer(long, accepted === '' ? {} : { 'accept-encoding': accepted })
  expect(answer).toEqual({ ...long, headers: { vary: 'accept-encoding' } })
})

test('a short answer and an answer without a body stay as they are', async () => {
  const accepts = { 'accept-encoding': 'gzip' }
  const short = { status: 200, body: { logs: [] }, headers: { 'X-Total-Count': '0' } }
  expect(await compressedAnswer(short, accepts)).toEqual({
    ...short,
    headers: { ...short.headers, vary: 'accept-encoding' },
  })
  expect(await compressedAnswer({ status: 204 }, accepts)).toEqual({ status: 204 })
})
