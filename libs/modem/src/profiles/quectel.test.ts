import { hexFromOctets } from '@smsgw/sms/octets'
import { ucs2FromText } from '@smsgw/sms/text/ucs2'
import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem } from '../testing/driven-modem.ts'
import { quectel } from './quectel.ts'
import { roleOfUsbPort } from './usb-port.ts'

const module: Answers = { 'AT+CGMI': 'Quectel', 'AT+CGMM': 'EC25', 'AT+QCCID': '+QCCID: 8949020000123456789F' }

async function started(answers: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem({ ...module, ...answers })
  await driven.session()
  driven.forget()
  return driven
}

test('USB vendor 2c7c: assigns a role to each port', () => {
  const role = (interfaceNumber: number) =>
    roleOfUsbPort(quectel.usb, { id: '2c7c:0125', interfaceNumber, interfaceClass: undefined })?.role
  expect([0, 1, 2, 3].map(role)).toEqual(['diagnostic', 'nmea', 'at', 'at-secondary'])
})

test('sets up once after RDY, +CFUN, +CPIN, +QIND, +QUSIM', async () => {
  const driven = await started()
  driven.port.tell('RDY')
  await driven.pass(10)
  driven.port.tell('+CFUN: 1\n+CPIN: READY\n+QUSIM: 1\n+QIND: SMS DONE\n+QIND: PB DONE')
  await driven.pass(5000)
  expect(driven.kinds('restarted')).toEqual([{ kind: 'restarted', sign: 'RDY' }])
  expect(driven.kinds('started')).toHaveLength(1)
})

test('never requests stored reports, which get lost (EC25, EG25)', async () => {
  const driven = new DrivenModem({ ...module, 'AT+CNMI=2,1,0,1,0': 'ERROR', 'AT+CNMI=1,1,0,1,0': 'ERROR' })
  await driven.session()
  expect(driven.port.commands.filter((command) => /CNMI=\d,\d,\d,2/.test(command))).toEqual([])
})

test('acknowledges only with service 1, without a PDU, and ignores CMS 340 after a second acknowledgement', async () => {
  const driven = await started({
    'AT+CSMS=*': 'ERROR',
    'AT+CSMS?': '+CSMS: 1,1,1,1',
    'AT+CNMA': ['OK', '+CMS ERROR: 340'],
  })
  expect(await driven.modem.acknowledge()).toBe(true)
  expect(await driven.modem.acknowledge()).toBe(true)
  expect(driven.port.commands).toEqual(['AT+CNMA', 'AT+CNMA'])
})

test('reads service 128 of M26 as service 1', async () => {
  const driven = new DrivenModem({
    ...module,
    'AT+CGMM': 'M26',
    'AT+CSMS=*': '+CMS ERROR: 303',
    'AT+CSMS?': '+CSMS: 128,1,1,1',
  })
  const session = await driven.session()
  expect(session.profile.name).toBe('quectel-serial')
  expect(session.messages.acknowledges).toBe(true)
})

test('the modem is ready when an unsolicited +CPIN arrives', async () => {
  const driven = new DrivenModem({ ...module, 'AT+CPIN?': ['ERROR', '+CPIN: READY'] }, { simPollMs: 50_000 })
  const starting = driven.modem.start()
  await driven.pass(17_000)
  driven.port.tell('+CPIN: READY')
  await driven.pass(100)
  expect((await starting).kind).toBe('started')
})

test('repeats AT for autobauding', async () => {
  const driven = new DrivenModem({ ...module, AT: ['silence', 'silence', 'silence', 'OK'] })
  await driven.session()
})

test('closes a multiplexer left open by another process', async () => {
  const driven = new DrivenModem({ ...module, AT: 'silence' })
  const starting = driven.modem.start()
  await driven.pass(20_000)
  expect(driven.port.written).toContain('\xf9\x03\xef\x05\xc3\x01\xf2\xf9')
  driven.modem.stop()
  await driven.passing(starting)
})

describe('+CUSD', () => {
  const asked = async (answer: string) => {
    const driven = await started({ 'AT+CUSD=*': 'OK' })
    const request = driven.modem.ussd('*100#')
    await driven.pass(10)
    driven.port.tell(answer)
    return driven.passing(request)
  }
  test('+CUSD: reads UCS-2 in hexadecimal', async () => {
    expect(await asked(`+CUSD: 0,"${hexFromOctets(ucs2FromText('Guthaben 3,20 €'))}",72`)).toMatchObject({
      text: 'Guthaben 3,20 €',
    })
  })
  test('+CUSD: reads UCS-2 although the data coding scheme is 0 (M35)', async () => {
    expect(await asked(`+CUSD: 0,"${hexFromOctets(ucs2FromText('Guthaben 3,20'))}",0`)).toMatchObject({
      text: 'Guthaben 3,20',
    })
  })
})

test('allows BG96 five minutes per message', async () => {
  const driven = await started({ 'AT+CGMM': 'BG96', PDU: 'busy' })
  const sent = driven.submit()
  await driven.pass(299_000)
  driven.port.finish('+CMGS: 3\nOK')
  expect(await driven.passing(sent)).toMatchObject({ kind: 'accepted', messageReference: 3 })
})
