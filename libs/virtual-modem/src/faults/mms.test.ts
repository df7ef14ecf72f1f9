import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test.each([
  ['text', '6170706C69636174696F6E2F766E642E7761702E6D6D732D6D65737361676500'],
  ['code', '0601BE'],
])('mms-content-type: encodes the type of a notification as %s', (form, octets) => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'mms-content-type': { form } } })
  world.network.sendMmsNotification('+4420', aliceNumber, { transactionId: 'T', fromWithheld: true })
  host.wait(0)
  expect(host.say('AT+CMGL=4\r')).toContain(octets)
})
