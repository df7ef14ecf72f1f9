import { expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { readRoutedChallenge, writeRoutedChallenge } from './routed-challenge.ts'

const box = secretBox('a secret of a test with enough characters', systemRandom)
const challenge = { relayId: 'router', nonce: 'n'.repeat(21) }
const NOW = 1_800_000_000_000

const read = (header: string | undefined, nowMs = NOW) =>
  readRoutedChallenge(box, { headers: header === undefined ? {} : { 'x-smsgw-challenge': header } }, nowMs)

test('a relay accepts the challenge of a router with the same secret, for two minutes', () => {
  const header = writeRoutedChallenge(box, challenge, NOW)
  expect(read(header)).toEqual(challenge)
  expect([read(header, NOW + 120_000), read(header, NOW - 120_000)]).toEqual([challenge, challenge])
  expect([read(header, NOW + 120_001), read(header, NOW - 120_001)]).toEqual([undefined, undefined])
})

test('a relay ignores every other challenge', () => {
  const header = writeRoutedChallenge(box, challenge, NOW)
  const other = secretBox('another secret of a test, as long', systemRandom)
  for (const wrong of [
    undefined,
    '',
    'router.nonce.1.hash',
    header.replace('router', 'rooter'),
    header.replace('nnn', 'nnm'),
    header.slice(0, -1),
    `${header}0`,
    writeRoutedChallenge(other, challenge, NOW),
    writeRoutedChallenge(box, { ...challenge, nonce: 'short' }, NOW),
  ])
    expect(read(wrong)).toBeUndefined()
})
