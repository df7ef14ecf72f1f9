import { expect, test } from 'vitest'
import { adviceOfCause, causeOfNetworkCode, networkCauses, reportCode } from './network-cause.ts'

test.each([
  ['CMS 1', 'number_not_assigned'],
  ['CMS 42', 'network_congested'],
  ['CMS 515', 'modem_starting'],
  ['CME 10', 'sim_missing'],
  ['HILINK 113053', 'stick_storage_full'],
  ['TP-ST 0x00', 'report_received'],
  ['TP-ST 0x46', 'report_expired'],
  ['TP-ST 0xff', 'report_service_rejected'],
])('%s means %s', (code, cause) => {
  expect(causeOfNetworkCode(code)).toBe(cause)
})

test.each(['CMS 777', 'TP-ST 0x30', 'CMS', '+CMS ERROR: 1', ''])('%s has no known meaning', (code) => {
  expect(causeOfNetworkCode(code)).toBeUndefined()
})

test('each number has one cause', () => {
  const codes = ['CMS', 'CME'].flatMap((kind) => Array.from({ length: 1000 }, (_, number) => `${kind} ${number}`))
  const reports = Array.from({ length: 256 }, (_, status) => reportCode(status))
  const found = new Set([...codes, ...reports].map(causeOfNetworkCode))
  for (const cause of networkCauses) if (!/^stick_/.test(cause)) expect(found).toContain(cause)
})

test('each cause of a refusal has advice; the advice for a report depends on its outcome', () => {
  for (const cause of networkCauses) expect(adviceOfCause(cause) === undefined).toBe(cause.startsWith('report_'))
})
