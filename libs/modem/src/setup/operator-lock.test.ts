import { expect, test } from 'vitest'
import type { OperatorChoice } from '../commands/network/operator-selection.ts'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem } from '../testing/driven-modem.ts'

const strict: OperatorChoice = { code: '26202', mayFallBack: false }
const lenient: OperatorChoice = { code: '26202', mayFallBack: true }

const modem: Answers = {
  'AT+COPS=3,2': 'OK',
  'AT+COPS=3,0': 'OK',
  'AT+COPS?': '+COPS: 0,2,"26201",7',
  'AT+COPS=1,2,"26202"': 'OK',
  'AT+COPS=4,2,"26202"': 'OK',
  'AT+COPS=0': 'OK',
}

async function started(answers: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem({ ...modem, ...answers })
  await driven.session()
  driven.forget()
  return driven
}

const selections = (driven: DrivenModem) => driven.port.commands.filter((command) => /^AT\+COPS=[014]/.test(command))
const outcomes = (driven: DrivenModem) => driven.kinds('operator-selection').map(({ selection }) => selection.kind)

test.each([
  ['another operator', strict, '+COPS: 0,2,"26201",7', ['AT+COPS=1,2,"26202"'], 'selected'],
  ['the automatic choice of the same operator', strict, '+COPS: 0,2,"26202",7', ['AT+COPS=1,2,"26202"'], 'selected'],
  ['the same operator', strict, '+COPS: 1,2,"26202",7', [], 'kept'],
  ['no network', strict, '+COPS: 1', ['AT+COPS=1,2,"26202"'], 'selected'],
  ['no answer to the question', strict, 'ERROR', ['AT+COPS=1,2,"26202"'], 'selected'],
  ['another operator, and a fallback', lenient, '+COPS: 0,2,"26201",7', ['AT+COPS=4,2,"26202"'], 'selected'],
  ['the same operator, and a fallback', lenient, '+COPS: 0,2,"26202",7', [], 'kept'],
  ['a stored operator that is no longer wanted', 'automatic', '+COPS: 1,2,"26202",7', ['AT+COPS=0'], 'selected'],
  ['the automatic choice', 'automatic', '+COPS: 0,2,"26202",7', [], 'kept'],
] as const)('selects the operator when the modem reports %s', async (_, choice, answer, commands, outcome) => {
  const driven = await started({ 'AT+COPS?': answer })
  driven.modem.useOperator(choice)
  await driven.pass(1_000)
  expect(selections(driven)).toEqual(commands)
  expect(outcomes(driven)).toEqual([outcome])
  expect(driven.port.commands.at(-1)).toBe('AT+COPS=3,0')
})

test('does not change the operator without a choice', async () => {
  const driven = await started()
  await driven.pass(700_000)
  expect(driven.port.commands.filter((command) => command.startsWith('AT+COPS='))).toEqual([])
})

test('selects the operator again after a restart of the modem, once in each session', async () => {
  const driven = await started()
  driven.modem.useOperator(strict)
  await driven.pass(1_000)
  driven.forget()
  driven.port.tell('RDY')
  await driven.pass(30_000)
  driven.modem.useOperator({ ...strict })
  await driven.pass(30_000)
  expect(selections(driven)).toEqual(['AT+COPS=1,2,"26202"'])
})

test('reports a refusal, and tries again every ten minutes until it succeeds', async () => {
  const driven = await started({ 'AT+COPS=1,2,"26202"': ['+CME ERROR: 32', '+CME ERROR: 32', 'OK'] })
  driven.modem.useOperator(strict)
  await driven.pass(1_000)
  expect(driven.kinds('operator-selection')).toMatchObject([{ selection: { kind: 'refused', error: { code: 32 } } }])
  await driven.pass(1_300_000)
  expect(outcomes(driven)).toEqual(['refused', 'refused', 'selected'])
  await driven.pass(1_300_000)
  expect(selections(driven)).toHaveLength(3)
})

test('stops retrying when the port is lost', async () => {
  const driven = await started({ 'AT+COPS=1,2,"26202"': 'ERROR' })
  driven.modem.useOperator(strict)
  await driven.pass(1_000)
  driven.port.lose()
  await driven.pass(1_300_000)
  expect(selections(driven)).toHaveLength(1)
  expect(driven.clock.pending).toBe(0)
})
