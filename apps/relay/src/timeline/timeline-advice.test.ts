import { agentFailureCodes, relayFailureCodes } from '@smsgw/contract/messages/failure-code'
import { expect, test } from 'vitest'
import { adviceOnFailure, adviceOnReport } from './timeline-advice.ts'

test.each([...new Set([...agentFailureCodes, ...relayFailureCodes])])('%s has its own advice', (code) => {
  const { advice, adviceCode } = adviceOnFailure(code) ?? {}
  expect(adviceCode).toBe(code)
  expect(advice).toMatch(/^[A-Z].*\.$/)
  const others = [...agentFailureCodes, ...relayFailureCodes].filter((other) => other !== code)
  expect(others.map((other) => adviceOnFailure(other)?.advice)).not.toContain(advice)
})

test('advice on an encoding failure refers to the content, and on an internal error to the log of the agent', () => {
  expect(adviceOnFailure('unwritable')?.advice).toMatch(/text, data or number cannot be encoded/)
  expect(adviceOnFailure('unwritable')?.advice).not.toMatch(/disk/)
  expect(adviceOnFailure('agent_failed')?.advice).toMatch(/log of the agent/)
})

test.each([null, 'invented_by_a_newer_agent', 'constructor'])('%s has no advice', (code) => {
  expect(adviceOnFailure(code)).toBeUndefined()
})

test.each([
  [0x00, undefined],
  [0x21, 'report_pending'],
  [0x43, 'report_failed_permanently'],
  [0x46, 'report_gave_up'],
  [0x61, 'report_gave_up'],
])('the delivery report %i has the advice %s', (status, adviceCode) => {
  expect(adviceOnReport(status)?.adviceCode).toBe(adviceCode)
})
