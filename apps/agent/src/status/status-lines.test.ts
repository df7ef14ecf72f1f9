import { expect, test } from 'vitest'
import { relayWords } from './status-lines.ts'

const link = { relay: 'wss://sms.example.org/agent/v1', deviceId: 'd1', eventsWaiting: 0, trouble: undefined } as const

test('where the relay is, or what keeps the agent from it', () => {
  expect(relayWords({ ...link, phase: 'online' })).toBe('connected to wss://sms.example.org/agent/v1')
  expect(relayWords({ ...link, phase: 'online', relay: 'in this process' })).toBe('connected, in this process')
  const refused = { ...link, phase: 'waiting', trouble: 'connection refused' } as const
  expect(relayWords(refused)).toBe('wss://sms.example.org/agent/v1: connection refused')
})
