import { deliveryProblemCodes, deliveryProblems } from '@smsgw/contract/webhooks/delivery-problem'
import { expect, test } from 'vitest'
import { deliveryProblemText, readDeliveryProblem } from './delivery-problem.ts'

const samples: Readonly<Record<string, string | number>> = {
  seconds: 0.4,
  host: 'hook.example',
  address: '10.0.0.1',
  problem: 'must begin with https://',
  error: 'CERT_HAS_EXPIRED',
  kib: 64,
  limit: 10,
  scopes: 'messages:list or messages:read',
  lastError: 'HTTP 500',
}

test.each(deliveryProblemCodes)('the stored text of %s gives its code and values', (code) => {
  const names: readonly string[] = deliveryProblems[code]
  const values = Object.fromEntries(names.map((name) => [name, samples[name] ?? '']))
  const text = deliveryProblemText(code, values)
  expect(text).not.toMatch(/[{}]|undefined/)
  expect(readDeliveryProblem(text)).toEqual(names.length === 0 ? { code } : { code, values })
})

test('the reason of a disabled webhook contains the code and the values of the last error', () => {
  const lastError = deliveryProblemText('address_not_public', { host: 'hook.example', address: 'fd00::1' })
  expect(readDeliveryProblem(deliveryProblemText('failing_for_five_days', { lastError }))).toEqual({
    code: 'failing_for_five_days',
    values: { lastError, lastErrorCode: 'address_not_public', host: 'hook.example', address: 'fd00::1' },
  })
})

test('a text of another release has no code', () => {
  expect(readDeliveryProblem('the receiver is asleep')).toBeUndefined()
})
