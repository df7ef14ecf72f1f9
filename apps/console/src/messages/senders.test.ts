import { expect, test } from 'vitest'
import { senders, senderWords } from './senders.ts'

const bell = { id: 'k1', name: 'door bell', prefix: 'smsgw_live_k1_' }

test('a message of a key shows the name of the key, any other message the kind of its credentials', () => {
  expect(senderWords({ kind: 'key', keyId: 'k1', keyName: 'door bell' })).toBe('door bell')
  expect(senderWords({ kind: 'session' })).toBe('Console')
})

test('offers each kind of credentials and each key', () => {
  expect(senders([bell], '')).toEqual([
    { value: '', label: 'All' },
    { value: 'session', label: 'Console' },
    { value: 'password', label: 'API (password)' },
    { value: 'token', label: 'API (token)' },
    { value: 'webhook', label: 'Webhook reply' },
    { value: 'key', label: 'Any API key' },
    { value: 'k1', label: 'door bell' },
  ])
})

test('keys with the same name are distinguished by their prefix', () => {
  const labels = senders([bell, { ...bell, id: 'k2', prefix: 'smsgw_live_k2_' }], '').map(({ label }) => label)
  expect(labels.slice(-2)).toEqual(['door bell (smsgw_live_k1_…)', 'door bell (smsgw_live_k2_…)'])
})

test('a deleted key in the address stays selected', () => {
  expect(senders([bell], 'k9').at(-1)).toEqual({ value: 'k9', label: 'k9' })
})
