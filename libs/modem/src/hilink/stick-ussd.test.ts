import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { expect, test } from 'vitest'
import { type DrivenStick, started } from '../testing/driven-stick.ts'

test('reads the answer and ends the session', async () => {
  const driven = await started()
  const answer = await driven.world.passing(driven.modem.ussd('*100#'))
  expect(answer).toEqual({
    kind: 'answer',
    status: 'answered',
    text: 'Your balance is 12.34 EUR. Valid until 31.12.2030.',
  })
  expect(driven.world.requests.at(-1)).toBe('GET /api/ussd/release')
})

const ask = (driven: DrivenStick, text: string) => driven.world.passing(driven.modem.ussd(text))
const menu = { kind: 'answer', status: 'asks', text: 'Welcome\n1 Balance\n2 Bundles\n0 Exit' }
const ended = { kind: 'refused', error: { code: 111_022 } }
const releases = (driven: DrivenStick) => driven.world.requests.filter((each) => each.endsWith('/release')).length

test('continues a menu with replies, and ends the session after the last answer', async () => {
  const driven = await started()
  expect(await ask(driven, '*101#')).toEqual(menu)
  expect(await ask(driven, '2')).toMatchObject({ status: 'asks', text: expect.stringContaining('Bundles') })
  expect(releases(driven)).toBe(0)
  expect(await ask(driven, '1')).toEqual({ kind: 'answer', status: 'answered', text: 'Day bundle is active' })
  expect(releases(driven)).toBe(1)
  expect(await ask(driven, '*101#')).toEqual(menu)
})

test('ends a menu on request, so that the next code starts a new session', async () => {
  const driven = await started()
  expect(await ask(driven, '*101#')).toEqual(menu)
  await driven.world.passing(driven.modem.cancelUssd())
  expect(await ask(driven, '2')).toMatchObject(ended)
  expect(await ask(driven, '*101#')).toEqual(menu)
})

test('reports a reply that comes after the network has ended the session', async () => {
  const driven = await started()
  expect(await ask(driven, '*101#')).toEqual(menu)
  await driven.world.pass(200_000)
  expect(await ask(driven, '2')).toMatchObject(ended)
})

test('ends the session after each answer if the firmware does not report its state', async () => {
  const driven = await started({ 'web-unsupported': { path: 'ussd/status' } })
  expect(await ask(driven, '*101#')).toEqual({ ...menu, status: 'answered' })
  expect(releases(driven)).toBe(1)
  expect(await ask(driven, '2')).toMatchObject(ended)
})

test.each<[string, FaultSettings, object]>([
  ['a lost reply to the code', { 'web-lost': { path: 'ussd/send', times: 1 } }, { kind: 'not-ready' }],
  ['a broken answer', { 'web-rubbish': { path: 'ussd/get', times: 1 } }, menu],
  ['a lost state', { 'web-lost': { path: 'ussd/status', times: 1 } }, { ...menu, status: 'answered' }],
  ['lost web sessions', { 'web-sessions-lost': { times: 1 } }, menu],
])('refuses neither the next code nor a reply after %s', async (_name, faults, outcome) => {
  const driven = await started(faults)
  expect(await ask(driven, '*101#')).toMatchObject(outcome)
  if (outcome !== menu) expect(await ask(driven, '*101#')).toEqual(menu)
  expect(await ask(driven, '1')).toMatchObject({ status: 'answered', text: 'Balance: 12.34 EUR' })
})

test.each<[string, string, FaultSettings, object]>([
  ['a late answer', '*100#', { 'ussd-late': { delayMs: 60_000 } }, { kind: 'answer' }],
  ['a lost answer', '*100#', { 'ussd-lost': {} }, { kind: 'no-answer' }],
  ['an unknown code', '*999#', {}, { kind: 'refused', error: { code: 111_022 } }],
])('handles %s', async (_name, code, faults, outcome) => {
  const driven = await started(faults)
  expect(await driven.world.passing(driven.modem.ussd(code))).toMatchObject(outcome)
})
