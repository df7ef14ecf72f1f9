import { expect, test } from 'vitest'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test('port-renumbered: returns the port under another name after a reset', () => {
  const host = new EmulatedHost(emulatedNetwork(), {
    personality: quectelEc25,
    faults: { 'port-renumbered': { times: 1 } },
  })
  host.modem.reboot()
  host.wait(60_000)
  expect(host.ports).toEqual(['lost', 'back renumbered'])
  host.modem.reboot()
  host.wait(60_000)
  expect(host.ports.at(-1)).toBe('back')
})

test('port-half-open: transfers no data, then closes the port, then makes the port available again', () => {
  const host = new EmulatedHost(emulatedNetwork(), { bootTimeFactor: 0 })
  host.modem.faults.set('port-half-open', { forMs: 5000, times: 1 })
  expect(host.say('AT\r')).toBe('')
  host.modem.say('+CIEV: 1')
  expect(host.wait(4999)).toBe('')
  expect(host.ports).toEqual([])
  expect(host.modem.snapshot().port).toBe('half-open')
  host.wait(1)
  expect(host.ports).toEqual(['lost', 'back'])
  expect(host.say('AT\r')).toContain('OK')
})

test('port-half-open: transfers data again when cleared', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.modem.faults.set('port-half-open')
  host.modem.faults.clear('port-half-open')
  expect(host.say('AT\r')).toBe('\r\nOK\r\n')
  expect(host.wait(600_000)).toBe('')
})
