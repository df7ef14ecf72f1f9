import { describe, expect, test } from 'vitest'
import type { ClearContent } from './clear-content.ts'
import { planMessage } from './plan-message.ts'

const long = 'All work and no play makes Jack a dull boy. '.repeat(8)

function plan(content: ClearContent, sendsText: boolean, destination = '+447400123456') {
  const sim = { simNumber: 1, iccid: '8944', sendsText }
  return planMessage({ content, destination, requestsReport: true, reference: 1, validForSeconds: undefined, sim })
}

test('plans a PDU for each part of a long text', () => {
  const planned = plan({ kind: 'text', text: long }, false)
  expect(planned).toMatchObject({ ok: true, plan: { requestsReport: true } })
  expect(planned.ok && planned.plan.parts).toHaveLength(3)
})

describe('for a modem that accepts whole texts', () => {
  test('plans one part with the text, without a delivery report', () => {
    expect(plan({ kind: 'text', text: long }, true)).toEqual({
      ok: true,
      plan: {
        simNumber: 1,
        iccid: '8944',
        destination: '+447400123456',
        requestsReport: false,
        parts: [{ pdu: '', tpduLength: 0, text: long }],
      },
    })
  })

  test.each<[string, ClearContent, string]>([
    ['data', { kind: 'data', data: Uint8Array.of(1), port: 5000 }, 'cannot send data messages'],
    ['a form feed', { kind: 'text', text: 'a\fb' }, 'cannot send control characters'],
    ['half a surrogate pair', { kind: 'text', text: 'a\ud83d' }, 'cannot send control characters'],
  ])('refuses %s with a reason', (_name, content, reason) => {
    expect(plan(content, true)).toMatchObject({
      ok: false,
      code: 'unwritable',
      reason: expect.stringContaining(reason),
    })
  })

  test('refuses a number that cannot be dialled', () => {
    expect(plan({ kind: 'text', text: 'Hello' }, true, 'Alice')).toMatchObject({ ok: false, code: 'unwritable' })
  })
})
