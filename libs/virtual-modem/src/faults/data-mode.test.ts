import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test('data-mode: sends PPP frames and reads no commands until +++ between guard times', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.modem.faults.set('data-mode', { times: 1 })
  expect(host.read()).toMatch(/^~\xff}#/)
  expect(host.say('AT\r')).toBe('')
  expect(host.wait(3_000)).toMatch(/^~\xff}#/)
  host.type('+++')
  host.type('AT\r')
  expect(host.wait(2_000)).not.toContain('OK')
  host.type('+++')
  expect(host.wait(1_000)).toContain('\r\nOK\r\n')
  expect(host.say('AT\r')).toBe('\r\nOK\r\n')
  expect(host.wait(10_000)).toBe('')
})
