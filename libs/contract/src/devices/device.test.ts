import { expect, test } from 'vitest'
import { ussdAnswer, ussdRequest } from './device.ts'

test('accepts a USSD code and a reply to the network', () => {
  expect(ussdRequest.parse({ code: '*100#', simNumber: null })).toEqual({ code: '*100#' })
  expect(ussdRequest.parse({ code: '1', simNumber: 2, sessionId: 's' })).toEqual({
    code: '1',
    simNumber: 2,
    sessionId: 's',
  })
  expect(ussdAnswer.parse({ text: '1 Balance', more: true, sessionId: 's' }).more).toBe(true)
})

test.each([{}, { code: '' }, { code: '1'.repeat(183) }, { code: '*100#', simNumber: 0 }, { code: '1', sessionId: '' }])(
  'refuses %j',
  (body) => {
    expect(ussdRequest.safeParse(body).success).toBe(false)
  },
)
