import { expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { encryptPush, isPublicKey } from './encrypt-push.ts'
import { testBrowser } from './testing/test-browser.ts'

/** RFC 8291, appendix A. */
const vector = {
  content: 'When I grow up, I want to be a watermelon',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  browserPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  browserPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95b' +
    'Qpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
const point = bytes(vector.browserPublic)
const ofVector = () =>
  testBrowser({
    auth: bytes(vector.auth),
    privateJwk: {
      ...{ kty: 'EC', crv: 'P-256', d: vector.browserPrivate },
      x: Buffer.from(point.slice(1, 33)).toString('base64url'),
      y: Buffer.from(point.slice(33)).toString('base64url'),
    },
  })

test('the browser of these tests decrypts the example of RFC 8291', async () => {
  const browser = await ofVector()
  expect(browser.keys).toEqual({ p256dh: vector.browserPublic, auth: vector.auth })
  expect(await browser.decrypt(bytes(vector.body))).toBe(vector.content)
})

test('encrypting the example of RFC 8291 gives the result of the RFC, apart from the padding', () => {
  const given = [vector.salt, vector.senderPrivate].map(bytes)
  const random = { bytes: () => given.shift() ?? new Uint8Array() }
  const body = encryptPush(vector.content, { p256dh: point, auth: bytes(vector.auth) }, random)
  // The length of header, content and delimiter. The authentication tag is not compared, because it also depends on the
  // padding.
  const same = 86 + vector.content.length + 1
  expect(body.subarray(0, same)).toEqual(Buffer.from(vector.body, 'base64url').subarray(0, same))
})

test.each(['', 'short', 'x'.repeat(1_023), 'x'.repeat(1_024), 'ü'.repeat(1_000)])(
  'a browser decrypts content of any length (%#)',
  async (content) => {
    const { keys, decrypt } = await testBrowser()
    const body = encryptPush(content, { p256dh: bytes(keys.p256dh), auth: bytes(keys.auth) }, systemRandom)
    expect(await decrypt(body)).toBe(content)
  },
)

test('the length of the body does not show the length of a short text', async () => {
  const { keys } = await testBrowser()
  const browser = { p256dh: bytes(keys.p256dh), auth: bytes(keys.auth) }
  const lengths = ['a', 'a'.repeat(900)].map((content) => encryptPush(content, browser, systemRandom).length)
  expect(lengths).toEqual([1_126, 1_126])
})

test('only points on the curve are public keys', () => {
  expect(isPublicKey(point)).toBe(true)
  expect(isPublicKey(new Uint8Array(65).fill(4))).toBe(false)
})
