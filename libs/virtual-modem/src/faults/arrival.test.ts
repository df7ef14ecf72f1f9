import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const threeParts = 'x'.repeat(400)

/** Returns the content of the memory after these texts, as `reference/sequence`, in the order of arrival. */
function arrivals(faults: object, sendings: readonly [from: string, text: string][], waitMs = 60_000) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults })
  for (const [from, text] of sendings) world.network.sendText(from, aliceNumber, text)
  host.wait(waitMs)
  const pdus = host.say('AT+CMGL=4\r').match(/^[0-9A-F]{20,}/gm) ?? []
  return pdus.map((pdu) => {
    const part = concatenationOf(decodeDeliver(octetsFromHex(pdu), 8).userData.header)
    return part ? `${part.reference}/${part.sequence}` : 'whole'
  })
}

test('no fault: delivers messages in order, each with its own reference', () => {
  const sendings: [string, string][] = [
    ['+441', threeParts],
    ['+442', threeParts],
  ]
  expect(arrivals({}, sendings, 0)).toEqual(['1/1', '1/2', '1/3', '2/1', '2/2', '2/3'])
})

test('parts-out-of-order: delivers a part after the next part', () => {
  expect(arrivals({ 'parts-out-of-order': { times: 1 } }, [['+441', threeParts]])).toEqual(['1/2', '1/1', '1/3'])
})

test('parts-out-of-order: delays the last part without losing it', () => {
  expect(arrivals({ 'parts-out-of-order': { skip: 2 } }, [['+441', threeParts]])).toEqual(['1/1', '1/2', '1/3'])
})

test('part-missing: loses the part, but acknowledges the part to the network', () => {
  expect(arrivals({ 'part-missing': { sequence: 2 } }, [['+441', threeParts]])).toEqual(['1/1', '1/3'])
})

test('part-twice: delivers the same part twice', () => {
  expect(arrivals({ 'part-twice': { times: 1 } }, [['+441', threeParts]])).toEqual(['1/1', '1/2', '1/3', '1/1'])
})

test('redelivered: delivers a message again, after the network timers', () => {
  expect(arrivals({ redelivered: {} }, [['+441', 'short']], 12_000)).toEqual(['whole'])
  expect(arrivals({ redelivered: {} }, [['+441', 'short']])).toEqual(['whole', 'whole'])
})

test('same-reference: gives two senders the same reference', () => {
  const sendings: [string, string][] = [
    ['+441', threeParts],
    ['+442', threeParts],
  ]
  expect(arrivals({ 'same-reference': { reference: 9 } }, sendings, 0)).toEqual([
    '9/1',
    '9/2',
    '9/3',
    '9/1',
    '9/2',
    '9/3',
  ])
})

test('reference-reused: gives two messages of a sender the same reference', () => {
  const sendings: [string, string][] = [
    ['+441', threeParts],
    ['+442', threeParts],
    ['+441', threeParts],
  ]
  const references = arrivals({ 'reference-reused': {} }, sendings, 0).map((part) => part.split('/')[0])
  expect(references).toEqual(['1', '1', '1', '2', '2', '2', '1', '1', '1'])
})

test('report-lost: drops the report, which the network counts as delivered', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'report-lost': {} } })
  host.say('AT+CNMI=2,1,0,1\r')
  host.say('AT+CMGS=23\r')
  host.say('0031000C914477000999990000A70AE8329BFD4697D9EC37\x1a')
  expect(host.wait(60_000)).toBe('')
  expect(world.network.snapshot().subscribers[0]?.kept).toBe(0)
})
