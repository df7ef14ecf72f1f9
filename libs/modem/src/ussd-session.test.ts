import { expect, test } from 'vitest'
import type { Answers } from './testing/described-modem.ts'
import { DrivenModem } from './testing/driven-modem.ts'

async function started(answers: Answers = { 'AT+CUSD=*': 'OK' }): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

test('a menu is a conversation: the next request is the reply', async () => {
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

test('an answer that comes before OK is the answer', async () => {
  const driven = await started({ 'AT+CUSD=*': '+CUSD: 0,"3.20",15\nOK' })
  expect(await driven.modem.ussd('*100#')).toMatchObject({ text: '3.20' })
})

test('no answer within two minutes is said so, and one that comes later is news', async () => {
  const driven = await started()
  expect(await driven.passing(driven.modem.ussd('*100#'))).toEqual({ kind: 'no-answer' })
  driven.port.tell('+CUSD: 0,"late",15')
  expect(driven.kinds('ussd')).toEqual([{ kind: 'ussd', answer: { status: 'answered', text: 'late' } }])
})

test('what the network begins by itself is news', async () => {
  const driven = await started()
  driven.port.tell('+CUSD: 1,"Rate us: 1-5",15')
  expect(driven.kinds('ussd')).toMatchObject([{ answer: { status: 'asks', text: 'Rate us: 1-5' } }])
})

test('the form of the text that was refused is not tried first again', async () => {
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

test('refused in every form: the refusal, with what to do', async () => {
  const outcome = await (await started({ 'AT+CUSD=*': '+CME ERROR: 258' })).modem.ussd('*100#')
  expect(outcome).toMatchObject({ kind: 'refused' })
})

test('a text that cannot be read does no harm', async () => {
  const driven = await started()
  const asked = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"4F6\x9f3",72')
  expect(await driven.passing(asked)).toMatchObject({ kind: 'answer' })
})

test('a restart ends the conversation', async () => {
  const driven = await started()
  const asked = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('RDY')
  expect(await driven.passing(asked)).toEqual({ kind: 'not-ready' })
})

test('before the modem is set up there is none', async () => {
  expect(await new DrivenModem().modem.ussd('*100#')).toEqual({ kind: 'not-ready' })
})

test('a text that would end its quotes is sent in hexadecimal digits or not at all, and that is said', async () => {
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
