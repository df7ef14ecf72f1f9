import { expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem } from '../testing/driven-modem.ts'

const stick: Answers = { 'AT+CGMI': 'QUALCOMM INCORPORATED', 'AT+CGMM': 'M6280' }

test('advertises mode 2 and refuses it: mode 1 is taken', async () => {
  const refused = Object.fromEntries([0, 1, 2].map((reports) => [`AT+CNMI=2,1,0,${reports},0`, '+CMS ERROR: 303']))
  const driven = new DrivenModem({ ...stick, ...refused })
  expect((await driven.session()).messages.indications).toMatchObject({ mode: 1, messages: 1, reports: 1 })
})

test('refuses reports straight (ds=1): they are stored (ds=2)', async () => {
  const driven = new DrivenModem({ ...stick, 'AT+CNMI=2,1,0,1,0': 'ERROR' })
  expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 2 })
})

test('the state of a cancelled USSD session is not relied on: the next request is a new one', async () => {
  const driven = new DrivenModem({ ...stick, 'AT+CUSD=*': 'OK' })
  await driven.session()
  const first = driven.modem.ussd('*100#')
  await driven.pass(10)
  await driven.modem.cancelUssd()
  driven.port.tell('+CUSD: 2')
  expect(await driven.passing(first)).toMatchObject({ kind: 'answer', status: 'ended-by-network' })
  const second = driven.modem.ussd('*101#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"fine",15')
  expect(await driven.passing(second)).toEqual({ kind: 'answer', status: 'answered', text: 'fine' })
})

test('the SIM is busy for seconds after the start (CME 14 to CSCA?): asked again', async () => {
  const busy = Array.from({ length: 5 }, () => '+CME ERROR: 14')
  const driven = new DrivenModem({ ...stick, 'AT+CSCA?': [...busy, '+CSCA: "+491710760000",145'] })
  expect((await driven.session()).sim.serviceCentre).toMatchObject({ number: '+491710760000' })
})

test('AT+CSMP= clears the service centre of an M6280 too, and is never sent', async () => {
  const driven = new DrivenModem({ ...stick, 'AT+CSMP=*': 'OK' })
  await driven.session()
  await driven.modem.ask({ text: 'AT+CSMP=17,167,0,0', timeoutMs: 5000, read: () => true })
  expect(driven.port.commands.filter((command) => command.includes('CSMP'))).toEqual([])
})
