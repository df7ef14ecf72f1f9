import { expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, reportPdu } from '../testing/driven-modem.ts'

const stick: Answers = {
  'AT+CGMI': 'ZTE CORPORATION',
  'AT+CGMM': 'MF626',
  'AT+CPMS?': '+CPMS: "SM",0,20,"SM",0,20,"SM",0,20',
  'AT+ZCDRUN=8': 'OK',
  'AT+ZOPRT=5': 'OK',
}

test('reads the storage first, which stops a flood of +ZUSIMR:2', async () => {
  const driven = new DrivenModem(stick, { usb: '19d2:0031' })
  await driven.session()
  expect(driven.port.commands.slice(0, 4)).toEqual(['AT+CPMS?', 'AT+ZCDRUN=8', 'AT+ZOPRT=5', 'ATE0'])
})

test('stops the flood as soon as the modem has identified itself, if there is no USB id', async () => {
  const driven = new DrivenModem(stick)
  await driven.session()
  const { commands } = driven.port
  expect(commands[commands.indexOf('AT+CGMR') + 1]).toBe('AT+CPMS?')
})

test('excludes +ZUSIMR:2 from answers', async () => {
  const driven = new DrivenModem({ ...stick, 'AT+CGSN': '+ZUSIMR:2\n354126040000018\n+ZUSIMR:2' })
  expect((await driven.session()).identity.imei).toBe('354126040000018')
})

test('reads +CDS: ,25 (with an extra comma) as a report', async () => {
  const driven = new DrivenModem(stick)
  await driven.session()
  driven.port.tell(`+CDS: ,25\n${reportPdu}`)
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'status-report' } }])
})

test('never sends AT+CSMP=, which clears the service centre', async () => {
  const driven = new DrivenModem({ ...stick, 'AT+CSMP=*': 'OK' })
  await driven.session()
  await driven.submit()
  await driven.modem.ask({ text: 'AT+CSMP=17,167,0,0', timeoutMs: 5000, read: () => true })
  expect(driven.port.commands.filter((command) => command.includes('CSMP'))).toEqual([])
})

test('works without delivery reports on MF190', async () => {
  const driven = new DrivenModem({
    ...stick,
    'AT+CGMM': 'MF190',
    'AT+CNMI=*': '+CMS ERROR: 303',
    'AT+CNMI=1,1,0,0,0': 'OK',
  })
  const session = await driven.session()
  expect(session.shortcomings).toEqual(['no-delivery-reports'])
  expect(session.profile.advice.join()).toContain('MF190')
})
