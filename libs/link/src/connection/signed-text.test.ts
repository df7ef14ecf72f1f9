import { expect, test } from 'vitest'
import { signedText } from './signed-text.ts'

const hello = { purpose: 'hello', relayId: 'r', nonce: 'n', deviceId: 'd', journalId: 'j', bootId: 'b' } as const

test('a signature is valid for one purpose, one connection and one claim', () => {
  const texts = [
    signedText(hello),
    signedText({ ...hello, nonce: 'other' }),
    signedText({ ...hello, relayId: 'other' }),
    signedText({ ...hello, deviceId: 'other' }),
    signedText({ ...hello, journalId: 'other' }),
    signedText({ ...hello, bootId: 'other' }),
    signedText({ purpose: 'pair', relayId: 'r', nonce: 'n', credential: 'd', publicKey: 'j' }),
  ]
  expect(new Set(texts).size).toBe(texts.length)
})

test('no value of one claim can imitate another claim', () => {
  expect(signedText({ ...hello, deviceId: 'd"\n"j', journalId: 'b' })).not.toBe(
    signedText({ ...hello, deviceId: 'd', journalId: 'j"\n"b' }),
  )
})
