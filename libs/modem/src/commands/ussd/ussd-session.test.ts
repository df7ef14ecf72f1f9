import { expect, test } from 'vitest'
import type { Answers } from '../../testing/described-modem.ts'
import { DrivenModem } from '../../testing/driven-modem.ts'

async function started(answers: Answers = { 'AT+CUSD=*': 'OK' }): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

test('sends the reply to a menu in the same conversation', async () => {
  const driven = await started()
  const first = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 1,"1 Balance\r\n2 Packages",15')
  expect(await driven.passing(first)).toEqual({ kind: 'answer', status: 'asks', text: '1 Balance\n2 Packages' })
  const second = driven.modem.ussd('1')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"3.20",15')
  expect(await driven.passing(second)).toEqual({ kind: 'answer', status: 'answered', text: '3.20' })
  expect(driven.port.commands).toEqual(['AT+CUSD=1,"*100#",15', 'AT+CUSD=1,"1",15'])
})

test('accepts an answer that arrives before OK', async () => {
  const driven = await started({ 'AT+CUSD=*': '+CUSD: 0,"3.20",15\nOK' })
  expect(await driven.modem.ussd('*100#')).toMatchObject({ text: '3.20' })
})

test('reports a missing answer after two minutes, and a later answer as an event', async () => {
  const driven = await started()
  expect(await driven.passing(driven.modem.ussd('*100#'))).toEqual({ kind: 'no-answer' })
  driven.port.tell('+CUSD: 0,"late",15')
  expect(driven.kinds('ussd')).toEqual([{ kind: 'ussd', answer: { status: 'answered', text: 'late' } }])
})

test('reports a USSD message that the network started', async () => {
  const driven = await started()
  driven.port.tell('+CUSD: 1,"Rate us: 1-5",15')
  expect(driven.kinds('ussd')).toMatchObject([{ answer: { status: 'asks', text: 'Rate us: 1-5' } }])
})

test('does not try a refused form of the text again', async () => {
  const driven = await started({ 'AT+CUSD=*': 'ERROR', 'AT+CUSD=1,"AA180C3602",15': 'OK' })
  const first = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"a",15')
  await driven.passing(first)
  const second = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"b",15')
  await driven.passing(second)
  expect(driven.port.commands).toEqual([
    'AT+CUSD=1,"*100#",15',
    'AT+CUSD=1,"AA180C3602",15',
    'AT+CUSD=1,"AA180C3602",15',
  ])
})

test('returns the refusal and advice when every form is refused', async () => {
  const outcome = await (await started({ 'AT+CUSD=*': '+CME ERROR: 258' })).modem.ussd('*100#')
  expect(outcome).toMatchObject({ kind: 'refused' })
})

test('accepts an answer with an unreadable text', async () => {
  const driven = await started()
  const asked = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"4F6\x9f3",72')
  expect(await driven.passing(asked)).toMatchObject({ kind: 'answer' })
})

test('ends the conversation when the modem restarts', async () => {
  const driven = await started()
  const asked = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('RDY')
  expect(await driven.passing(asked)).toEqual({ kind: 'not-ready' })
})

test('reports not-ready before the modem is set up', async () => {
  expect(await new DrivenModem().modem.ussd('*100#')).toEqual({ kind: 'not-ready' })
})

test('sends a text with a quote in hexadecimal digits or reports that it cannot be sent', async () => {
  const text = '1",15\rAT+CMGD=1,4\r'
  const driven = await started()
  const asked = driven.modem.ussd(text)
  await driven.pass(10)
  expect(driven.port.commands).toEqual([expect.stringMatching(/^AT\+CUSD=1,"[0-9A-F]+",15$/)])
  driven.port.tell('+CUSD: 0,"3.20",15')
  await driven.passing(asked)

  const telit = await started({ 'AT+CGMI': 'Telit', 'AT+CGMM': 'HE910' })
  expect(await telit.modem.ussd(text)).toEqual({ kind: 'text-not-writable' })
  expect(telit.port.commands).toEqual([])
})
