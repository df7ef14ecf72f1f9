import { expect, test } from 'vitest'
import { treeOfLiterals } from './repository-tree.ts'
import { secrets } from './secrets.ts'

// The parts of the secret are joined here, so that this file does not contain a secret.
const examples = [
  ['-----BEGIN OPENSSH ', 'PRIVATE KEY-----'],
  ['-----BEGIN PGP ', 'PRIVATE KEY BLOCK-----'],
  ['AKIA', 'ABCDEFGHIJKLMNOP'],
  ['ghp_', 'a'.repeat(36)],
  ['npm_', 'a'.repeat(36)],
  ['xoxb-', '1'.repeat(24)],
  ['sk_live_', 'a'.repeat(24)],
].map((parts) => parts.join(''))

test.each(examples)('refuses %s', (example) => {
  expect(secrets(treeOfLiterals({ 'a.env': `first\nTOKEN=${example}\n` }))).toMatchObject([{ file: 'a.env', line: 2 }])
})

test('accepts keys of test certificates, public keys and ordinary words', () => {
  const tree = treeOfLiterals({
    'apps/relay/src/testing/certificate/first.key': examples[0] ?? '',
    'a.txt': '-----BEGIN PUBLIC KEY-----\nnpm_config_cache xoxo-',
  })
  expect(secrets(tree)).toEqual([])
})
