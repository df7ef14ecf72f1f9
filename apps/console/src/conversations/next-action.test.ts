import { agentFailureCodes, relayFailureCodes } from '@smsgw/contract/messages/failure-code'
import { adviceOfCause, causeOfNetworkCode, networkCauses, reportCode } from '@smsgw/contract/messages/network-cause'
import { expect, test } from 'vitest'
import { nextAction } from './next-action.ts'

const refused = networkCauses.map((cause) => ({
  advice: adviceOfCause(cause),
  action: nextAction({ errorCode: 'refused', cause }),
}))
const actionsFor = (...advice: readonly unknown[]) =>
  new Set(refused.filter((one) => advice.includes(one.advice)).map(({ action }) => action))

test('a message whose number has to be checked is not offered for sending again', () => {
  expect(nextAction({ errorCode: 'refused', networkCode: 'CMS 1', cause: 'number_not_assigned' })).toBe(
    'correct-number',
  )
  expect(actionsFor('check_number', 'check_operator_reach')).toEqual(new Set(['correct-number']))
})

test('a message whose content or format was refused is edited', () => {
  expect(actionsFor('check_text_and_credit', 'report_format', 'use_other_modem')).toEqual(new Set(['edit']))
})

test('a message that failed for another cause can be sent again', () => {
  expect(actionsFor('retried', 'ask_operator', 'insert_sim', 'check_signal')).toEqual(new Set(['send-again']))
  expect(nextAction({ errorCode: 'ttl_expired' })).toBe('send-again')
  expect(nextAction({ errorCode: 'refused', networkCode: 'CMS 777' })).toBe('send-again')
  expect(nextAction({ errorCode: 'of_a_newer_relay' })).toBe('send-again')
  expect(nextAction({})).toBe('send-again')
})

test('a message that may have arrived is sent again only after a confirmation', () => {
  expect(nextAction({ errorCode: 'submit_unknown' })).toBe('ask-first')
  expect(nextAction({ errorCode: 'submit_unknown', networkCode: 'CMS 500', cause: 'modem_gave_no_reason' })).toBe(
    'ask-first',
  )
  expect(nextAction({ errorCode: 'device_lost' })).toBe('ask-first')
})

test.each([
  [0x43, 'correct-number'],
  [0x46, 'send-again'],
  [0x49, 'correct-number'],
  [0x61, 'send-again'],
  [0x80, 'send-again'],
])('after the delivery report %i, the action is %s', (status, action) => {
  const networkCode = reportCode(status)
  expect(nextAction({ errorCode: 'report_failed', networkCode, cause: causeOfNetworkCode(networkCode) })).toBe(action)
})

test('each failure code has an action', () => {
  const actions = [...agentFailureCodes, ...relayFailureCodes].map((errorCode) => nextAction({ errorCode }))
  expect(new Set(actions)).toEqual(new Set(['send-again', 'ask-first', 'edit']))
})
