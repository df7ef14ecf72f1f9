import { describe, expect, test } from 'vitest'
import { type DeliveryOutcome, mayArriveLater, statusFromOctet } from './status.ts'

describe('a status', () => {
  test.each<[number, DeliveryOutcome, string]>([
    [0x00, 'delivered', 'Short message received by the SME'],
    [0x01, 'delivered', 'Short message forwarded by the SC to the SME but the SC is unable to confirm delivery'],
    [0x02, 'delivered', 'Short message replaced by the SC'],
    [0x03, 'delivered', 'Reserved'],
    [0x10, 'delivered', 'Values specific to each SC'],
    [0x20, 'still-trying', 'Congestion'],
    [0x21, 'still-trying', 'SME busy'],
    [0x22, 'still-trying', 'No response from SME'],
    [0x23, 'still-trying', 'Service rejected'],
    [0x24, 'still-trying', 'Quality of service not available'],
    [0x25, 'still-trying', 'Error in SME'],
    [0x26, 'still-trying', 'Reserved'],
    [0x30, 'still-trying', 'Values specific to each SC'],
    [0x40, 'failed-permanently', 'Remote procedure error'],
    [0x41, 'failed-permanently', 'Incompatible destination'],
    [0x42, 'failed-permanently', 'Connection rejected by SME'],
    [0x43, 'failed-permanently', 'Not obtainable'],
    [0x44, 'failed-permanently', 'Quality of service not available'],
    [0x45, 'failed-permanently', 'No interworking available'],
    [0x46, 'failed-permanently', 'SM Validity Period Expired'],
    [0x47, 'failed-permanently', 'SM Deleted by originating SME'],
    [0x48, 'failed-permanently', 'SM Deleted by SC Administration'],
    [0x49, 'failed-permanently', 'SM does not exist'],
    [0x4a, 'failed-permanently', 'Reserved'],
    [0x5f, 'failed-permanently', 'Values specific to each SC'],
    [0x60, 'gave-up', 'Congestion'],
    [0x61, 'gave-up', 'SME busy'],
    [0x62, 'gave-up', 'No response from SME'],
    [0x63, 'gave-up', 'Service rejected'],
    [0x64, 'gave-up', 'Quality of service not available'],
    [0x65, 'gave-up', 'Error in SME'],
    [0x66, 'gave-up', 'Reserved'],
    [0x7f, 'gave-up', 'Values specific to each SC'],
    [0x80, 'gave-up', 'Service rejected'],
    [0xff, 'gave-up', 'Service rejected'],
  ])('a status of %i is %s: %s', (octet, outcome, description) => {
    expect(statusFromOctet(octet)).toEqual({ octet, outcome, description })
  })
})

test.each([
  [0x43, false],
  [0x46, true],
  [0x49, false],
  [0x61, true],
  [0x80, true],
])('decides whether a message can still arrive after the status %i: %s', (octet, expected) => {
  expect(mayArriveLater(octet)).toBe(expected)
})
