import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { anotherDeliverPdu, DrivenModem, deliverPdu } from '../testing/driven-modem.ts'
import { simcom2g, simcomLte } from './simcom.ts'
import { layoutRules } from './usb-layouts.ts'
import { roleOfUsbPort } from './usb-port.ts'

async function started(answers: Answers): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

describe('SIM800 and SIM900', () => {
  const module: Answers = { 'AT+CGMI': 'SIMCOM_Ltd', 'AT+CGMM': 'SIMCOM_SIM800L' }

  test('SIM800 and SIM900 number the slots from 1', () => expect(simcom2g.storage.indexBase).toBe(1))

  test.each(['SMS Ready', 'Call Ready'])(
    'for SIM800 and SIM900, checks the settings after %s, a possible restart',
    async (sign) => {
      const driven = await started(module)
      await driven.pass(2000)
      driven.forget()
      driven.port.tell(sign)
      await driven.pass(10)
      expect(driven.port.commands).toEqual(['AT+CMGF?', 'AT+CNMI?'])
      expect(driven.modem.state.name).toBe('ready')
    },
  )

  test('for SIM800 and SIM900, sets everything up again when SMS Ready arrives and the settings are gone', async () => {
    const driven = await started(module)
    await driven.pass(2000)
    driven.port.answer('AT+CNMI?', ['+CNMI: 0,0,0,0,0', '+CNMI: 2,1,0,1,0'])
    driven.forget()
    driven.port.tell('SMS Ready')
    await driven.pass(1000)
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(driven.port.commands).toContain('AT+CMGF=0')
    expect(driven.modem.state.name).toBe('ready')
  })

  test('for SIM800 and SIM900, waits 60 s for CMGS, 20 s for CMGL and 25 s for CMGD', async () => {
    const driven = await started({
      ...module,
      PDU: 'busy',
      'AT+CMGR=1': `+CMGR: 0,,31\n${deliverPdu}`,
      'AT+CMGD=1': 'silence',
    })
    const sent = driven.submit()
    await driven.pass(59_000)
    driven.port.finish('+CMGS: 3\nOK')
    expect(await driven.passing(sent)).toMatchObject({ kind: 'accepted', messageReference: 3 })
    const deletion = driven.modem.deleteMessage({ memory: 'SM', index: 1 }, deliverPdu)
    await driven.pass(24_000)
    driven.port.tell('OK')
    expect(await driven.passing(deletion)).toEqual({ kind: 'deleted' })
  })

  test('for SIM800 and SIM900, sends no acknowledgement after +CMT', async () => {
    const driven = await started(module)
    driven.port.tell(`+CMT: "",31\n${deliverPdu}`)
    await driven.pass(1000)
    expect(driven.port.commands).toEqual([])
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { acknowledge: false } } }])
  })

  test('for SIM800 and SIM900, reads all parts before it deletes one part, because the SIM600 deletes all parts together', async () => {
    const driven = await started({
      ...module,
      'AT+CGMM': 'SIMCOM_SIM600',
      'AT+CMGR=1': `+CMGR: 0,,31\n${deliverPdu}`,
      'AT+CMGD=1': 'OK',
    })
    driven.port.answer('AT+CPMS="SM"', '+CPMS: 2,25,0,25,0,25')
    driven.port.answer('AT+CMGL=4', `+CMGL: 1,1,,31\n${deliverPdu}\n+CMGL: 2,1,,31\n${anotherDeliverPdu}`)
    driven.port.tell('+CMTI: "SM",1')
    await driven.pass(10)
    const slot = { memory: 'SM', index: 1 }
    expect(await driven.modem.deleteMessage(slot, deliverPdu)).toEqual({ kind: 'deferred' })
    expect(driven.kinds('incoming').map((event) => event.incoming.pdu)).toEqual([deliverPdu, anotherDeliverPdu])
    expect(driven.port.commands).not.toContain('AT+CMGD=1')
    expect(await driven.modem.deleteMessage(slot, deliverPdu)).toEqual({ kind: 'deleted' })
  })

  test('for SIM300D, packs USSD', async () => {
    const driven = await started({ ...module, 'AT+CGMM': 'SIMCOM_SIM300D', 'AT+CUSD=*': 'OK' })
    void driven.modem.ussd('*100#')
    await driven.pass(10)
    expect(driven.port.commands).toEqual(['AT+CUSD=1,"AA180C3602",15'])
  })
})

describe('SIM7600', () => {
  const module: Answers = { 'AT+CGMI': 'SIMCOM INCORPORATED', 'AT+CGMM': 'SIMCOM_SIM7600E-H' }

  test('numbers the slots from 0', async () => {
    expect(simcomLte.storage.indexBase).toBe(0)
    const driven = await started({ ...module, 'AT+CMGR=0': `+CMGR: 0,,31\n${deliverPdu}` })
    driven.port.tell('+CMTI: "SM",0')
    await driven.pass(10)
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { index: 0 } } }])
  })

  test.each([
    ['1e0e:9001', ['diagnostic', 'nmea', 'at', 'at-secondary', 'audio']],
    ['1e0e:9205', ['diagnostic', 'nmea', 'at', 'ppp', undefined]],
    ['1e0e:9206', ['diagnostic', 'nmea', 'at', 'diagnostic', 'diagnostic']],
  ])('%s: assigns a role to each port', (id, roles) => {
    const role = (interfaceNumber: number) =>
      roleOfUsbPort(layoutRules, { id, interfaceNumber, interfaceClass: undefined })?.role
    expect([0, 1, 2, 3, 4].map(role)).toEqual(roles)
  })

  test('advises CNMP=14 and AT&F when messages fail on LTE', async () => {
    const driven = new DrivenModem(module)
    expect((await driven.session()).profile.advice.join()).toMatch(/CNMP=14.*AT&F/)
  })

  test('reports a message as unknown after +CMS ERROR: Unknown error', async () => {
    const driven = await started({ ...module, PDU: '+CMS ERROR: Unknown error' })
    expect(await driven.submit()).toMatchObject({ kind: 'unknown', error: { code: 500 } })
  })
})

describe('A7670 and SIM7670', () => {
  const module: Answers = { 'AT+CGMI': 'INCORPORATED', 'AT+CGMM': 'A7670E-FASE' }

  test('A7670 and SIM7670 are recognised by their model, with any manufacturer', async () => {
    expect((await new DrivenModem(module).session()).profile.name).toBe('simcom-a76xx')
  })

  test('A7670 and SIM7670: sets up once after *ATREADY: 1, +CPIN: READY, SMS DONE, PB DONE', async () => {
    const driven = await started(module)
    driven.port.tell('*ATREADY: 1')
    await driven.pass(10)
    driven.port.tell('+CPIN: READY\nSMS DONE\nPB DONE')
    await driven.pass(5000)
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(driven.kinds('started')).toHaveLength(1)
    expect(driven.modem.state.name).toBe('ready')
  })

  test('A7670 and SIM7670: retries CMGF after SMS DONE if CMGF failed before', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CMGF=0': ['ERROR', 'OK'] }, { simPollMs: 50_000 })
    const starting = driven.modem.start()
    await driven.pass(100)
    driven.port.tell('SMS DONE')
    await driven.pass(100)
    expect((await starting).kind).toBe('started')
  })

  test('sends with CREG: 0,6 (SMS only)', async () => {
    const driven = await started({ ...module, 'AT+CREG?': '+CREG: 0,6' })
    expect(driven.modem.state.name).toBe('ready')
  })

  test('does not send with CREG: 0,11 (emergency calls only)', async () => {
    const driven = await started({ ...module, 'AT+CREG?': '+CREG: 0,11' })
    expect(driven.modem.state.name).toBe('registering')
  })

  test('accepts a prompt without a blank', async () => {
    const driven = await started({ ...module, 'AT+CMGS=*': 'raw:\r\n>' })
    expect((await driven.submit()).kind).toBe('accepted')
  })

  test('has its command port on interface 4', () => {
    const role = (interfaceNumber: number) =>
      roleOfUsbPort(layoutRules, { id: '1e0e:9011', interfaceNumber, interfaceClass: undefined })?.role
    expect([4, 5].map(role)).toEqual(['at', 'ppp'])
  })
})
