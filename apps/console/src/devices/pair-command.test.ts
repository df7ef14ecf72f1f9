import { expect, test } from 'vitest'
import { isLocalHost, pairCommand } from './pair-command.ts'

test('the link uses TLS if the page does', () => {
  expect(pairCommand('https://sms.example.org', 'ABCDE23456')).toEqual({
    packaged: 'sudo smsgw agent pair wss://sms.example.org ABCDE23456',
    checkout: 'npm run agent -- pair wss://sms.example.org ABCDE23456',
  })
  expect(pairCommand('http://127.0.0.1:3000', 'ABCDE23456').packaged).toBe(
    'sudo smsgw agent pair ws://127.0.0.1:3000 ABCDE23456',
  )
})

test.each(['localhost', 'sms.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])(
  'other computers cannot reach %s',
  (host) => {
    expect(isLocalHost(host)).toBe(true)
  },
)

test.each(['sms.example.org', '192.168.1.7', '127.example.org', 'localhost.example.org', '[2001:db8::1]'])(
  'other computers can reach %s',
  (host) => {
    expect(isLocalHost(host)).toBe(false)
  },
)
