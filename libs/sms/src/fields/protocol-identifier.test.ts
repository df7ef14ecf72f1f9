import { expect, test } from 'vitest'
import { decodeProtocolIdentifier } from './protocol-identifier.ts'

test.each<[number, object]>([
  [0x00, { kind: 'plain', protocol: 0 }],
  [0x1f, { kind: 'plain', protocol: 31 }],
  [0x20, { kind: 'telematic', device: 'implicit' }],
  [0x22, { kind: 'telematic', device: 'group 3 telefax' }],
  [0x2e, { kind: 'telematic', device: 'reserved' }],
  [0x32, { kind: 'telematic', device: 'Internet electronic mail' }],
  [0x33, { kind: 'telematic', device: 'reserved' }],
  [0x38, { kind: 'telematic', device: 'specific to the service centre' }],
  [0x3e, { kind: 'telematic', device: 'specific to the service centre' }],
  [0x3f, { kind: 'telematic', device: 'GSM/UMTS mobile station' }],
  [0x40, { kind: 'silent' }],
  [0x41, { kind: 'replace', number: 1 }],
  [0x47, { kind: 'replace', number: 7 }],
  [0x48, { kind: 'device-triggering' }],
  [0x49, { kind: 'reserved' }],
  [0x5e, { kind: 'enhanced-message-service' }],
  [0x5f, { kind: 'return-call' }],
  [0x60, { kind: 'reserved' }],
  [0x7c, { kind: 'ansi-136-r-data' }],
  [0x7d, { kind: 'me-data-download' }],
  [0x7e, { kind: 'me-depersonalization' }],
  [0x7f, { kind: 'sim-data-download' }],
  [0x80, { kind: 'reserved' }],
  [0xbf, { kind: 'reserved' }],
  [0xc0, { kind: 'service-centre-specific' }],
  [0xff, { kind: 'service-centre-specific' }],
])('a protocol identifier of %i is %j', (octet, members) => {
  expect(decodeProtocolIdentifier(octet)).toEqual({ octet, ...members })
})
