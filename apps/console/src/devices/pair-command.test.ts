import { expect, test } from 'vitest'
import { pairCommand } from './pair-command.ts'

test('the link uses TLS if the page does', () => {
  expect(pairCommand('https://sms.example.org', 'ABCDE23456')).toEqual({
    packaged: 'sudo smsgw agent pair wss://sms.example.org ABCDE23456',
    checkout: 'npm run agent -- pair wss://sms.example.org ABCDE23456',
  })
  expect(pairCommand('http://127.0.0.1:3000', 'ABCDE23456').packaged).toBe(
    'sudo smsgw agent pair ws://127.0.0.1:3000 ABCDE23456',
  )
})
