import { expect, test } from 'vitest'
import { networkCauseOf } from './network-cause-of-error.ts'

test.each([
  ['refused', 'The number does not exist. Check the number. (CMS 1)', 'CMS 1', 'number_not_assigned'],
  ['refused', 'partial 1/2: There is no SIM. Insert a SIM. (CME 10)', 'CME 10', 'sim_missing'],
  ['retrying', 'retrying: The network is congested. No action needed. (CMS 42)', 'CMS 42', 'network_congested'],
  ['gave_up', 'not sent in time; last reason: The modem has no network. (CMS 331)', 'CMS 331', 'no_network'],
  ['report_failed', 'the network could not deliver it: Expired (TP-ST 4A). Try later.', 'TP-ST 0x4a', undefined],
  ['report_failed', 'the network could not deliver it: Expired (TP-ST 46). Try later.', 'TP-ST 0x46', 'report_expired'],
  ['report_failed', 'the network could not deliver it: Expired (TP-ST 0x46). Try.', 'TP-ST 0x46', 'report_expired'],
  ['report_failed', 'the network could not deliver it: Expired (TP-ST 0x4a). Try.', 'TP-ST 0x4a', undefined],
  ['refused', 'The modem gave an undocumented error code. (CMS 777)', 'CMS 777', undefined],
])('%s: %s', (errorCode, error, networkCode, cause) => {
  expect(networkCauseOf({ error, errorCode })).toEqual({ networkCode, ...(cause !== undefined && { cause }) })
})

test.each([
  ['phone_failed', 'RESULT_ERROR (CMS 1)'],
  ['refused', 'The modem refused without a reason. (ERROR)'],
  [null, 'refused (CMS 1)'],
])('%s: %s contains no number of the network', (errorCode, error) => {
  expect(networkCauseOf({ error, errorCode })).toEqual({})
})
