import { expect, test } from 'vitest'
import { introduction } from './introduction.ts'

const hello = { purpose: 'hello', relayId: 'r', nonce: 'n', deviceId: 'd', journalId: 'j', bootId: 'b' } as const

test('a signature serves for one purpose, one connection and one claim', () => {
  const texts = [
    introduction(hello),
    introduction({ ...hello, nonce: 'other' }),
    introduction({ ...hello, relayId: 'other' }),
    introduction({ ...hello, deviceId: 'other' }),
    introduction({ ...hello, journalId: 'other' }),
    introduction({ ...hello, bootId: 'other' }),
    introduction({ purpose: 'pair', relayId: 'r', nonce: 'n', credential: 'd', publicKey: 'j' }),
  ]
  expect(new Set(texts).size).toBe(texts.length)
})

test('no claim can pass for another by what stands in it', () => {
  expect(introduction({ ...hello, deviceId: 'd"\n"j', journalId: 'b' })).not.toBe(
    introduction({ ...hello, deviceId: 'd', journalId: 'j"\n"b' }),
  )
})
