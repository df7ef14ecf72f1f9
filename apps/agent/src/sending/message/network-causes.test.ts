import { causeOfNetworkCode, reportCode } from '@smsgw/contract/messages/network-cause'
import { cmeErrors } from '@smsgw/modem/dialogue/errors/cme-errors'
import { cmsErrors } from '@smsgw/modem/dialogue/errors/cms-errors'
import { statusFromOctet } from '@smsgw/sms/fields/status'
import { expect, test } from 'vitest'

/** Codes about acknowledgements, phone books, packet data and calls. A message never fails with these codes. */
const notAboutMessages = new Set(['CMS 340', 'CME 22', 'CME 48', 'CME 63', 'CME 107', 'CME 134', 'CME 149'])

const documented = [
  ...[...cmsErrors.keys()].map((number) => `CMS ${number}`),
  ...[...cmeErrors.keys()].map((number) => `CME ${number}`),
].filter((code) => !notAboutMessages.has(code))

test('each documented error of a modem has a cause with a code', () => {
  expect(documented.filter((code) => causeOfNetworkCode(code) === undefined)).toEqual([])
})

test('each cause of an error has a documented number', () => {
  const numbers = Array.from({ length: 1000 }, (_, number) => number)
  const undocumented = numbers.filter(
    (number) =>
      (causeOfNetworkCode(`CMS ${number}`) !== undefined && !cmsErrors.has(number)) ||
      (causeOfNetworkCode(`CME ${number}`) !== undefined && !cmeErrors.has(number)),
  )
  expect(undocumented).toEqual([])
})

test('each delivery status of the standard has a cause with a code', () => {
  const statuses = Array.from({ length: 256 }, (_, octet) => statusFromOctet(octet))
  const reserved = /^(Reserved|Values specific to each SC)$/
  const without = statuses.filter(({ octet }) => causeOfNetworkCode(reportCode(octet)) === undefined)
  expect(without.map(({ octet }) => octet)).toEqual(
    statuses.filter(({ description }) => reserved.test(description)).map(({ octet }) => octet),
  )
})
