import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test('runs the clock in the network time zone and sets the clock', () => {
  const host = new EmulatedHost(emulatedNetwork({ zoneQuarters: 28 }))
  expect(host.say('AT+CCLK?\r')).toBe('\r\n+CCLK: "26/03/01,23:00:00+28"\r\n\r\nOK\r\n')
  host.wait(61_000)
  expect(host.say('AT+CCLK?\r')).toBe('\r\n+CCLK: "26/03/01,23:01:01+28"\r\n\r\nOK\r\n')
  expect(host.say('AT+CCLK="30/12/31,23:59:59+00"\r')).toBe('\r\nOK\r\n')
  host.wait(2000)
  expect(host.say('AT+CCLK?\r')).toBe('\r\n+CCLK: "31/01/01,07:00:01+28"\r\n\r\nOK\r\n')
})

test('refuses an invalid time', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMEE=1\r')
  for (const text of ['30/13/01,00:00:00', 'now', '30/12/31,24:00:00+00']) {
    expect(host.say(`AT+CCLK="${text}"\r`)).toBe('\r\n+CME ERROR: 50\r\n')
  }
})

test('stores time zone reporting', () => {
  const host = new EmulatedHost(emulatedNetwork())
  expect(host.say('AT+CTZU=1;+CTZR=2;+CTZU?;+CTZR?\r')).toBe('\r\n+CTZU: 1\r\n+CTZR: 2\r\n\r\nOK\r\n')
})
