import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, deliverPdu, reportPdu } from '../testing/driven-modem.ts'
import { catalogue } from './catalogue.ts'
import { fibocom } from './fibocom.ts'
import { chooseProfile } from './fingerprint.ts'
import { generic } from './generic.ts'
import { sierra } from './sierra.ts'
import { roleOfUsbPort } from './usb-port.ts'

async function started(answers: Answers): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

describe('Sierra', () => {
  const module: Answers = { 'AT+CGMI': 'Sierra Wireless, Incorporated', 'AT+CGMM': 'MC7304' }

  test('CFUN=1 says OK too early: what follows waits until it answers again', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CFUN?': '+CFUN: 0', 'AT+CFUN=1': 'OK' })
    const starting = driven.modem.start()
    await driven.pass(1000)
    expect(driven.port.commands.at(-1)).toBe('AT+CFUN=1')
    expect((await driven.passing(starting)).kind).toBe('started')
    expect(driven.clock.nowMs()).toBeGreaterThanOrEqual(2000)
  })

  test('the APP port answers OK to everything: it is not taken for a modem', async () => {
    const okToAll = Object.fromEntries(
      ['AT+CGMI', 'AT+CGMM', 'AT+CGMR', 'ATI', 'AT+CGSN', 'AT+GSN', 'AT+CGSN=1'].map((command) => [command, 'OK']),
    )
    expect((await new DrivenModem(okToAll).failure()).reason).toBe('not-a-modem')
    const rule = roleOfUsbPort(sierra.usb, { id: '1199:68c0', interfaceNumber: 4, interfaceClass: undefined })
    expect(rule?.words).toContain('OK to everything')
  })
})

describe('u-blox', () => {
  const module: Answers = { 'AT+CGMI': 'u-blox', 'AT+CGMM': 'TOBY-L210', 'AT+UPINCNT': '+UPINCNT: 3,3,10,10' }

  test('the port is there before the modem: AT until it answers, and one second more', async () => {
    const driven = new DrivenModem({ ...module, AT: ['silence', 'silence', 'OK'] }, { usb: '1546:1146' })
    const starting = driven.modem.start()
    await driven.pass(5600)
    expect(driven.port.commands).toEqual([])
    expect((await driven.passing(starting)).kind).toBe('started')
  })

  test('+AT: READY of TOBY-L4 is a restart', async () => {
    const driven = await started(module)
    driven.port.tell('+AT: READY')
    await driven.pass(1000)
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(driven.kinds('started')).toHaveLength(1)
  })

  test('the link of CMMS is held for five seconds: announced once for messages that far apart', async () => {
    const driven = await started({ ...module, 'AT+CMMS=1': 'OK' })
    await driven.submit('a', { moreFollow: true })
    await driven.pass(4000)
    await driven.submit('b', { moreFollow: true })
    expect(driven.port.commands.filter((command) => command === 'AT+CMMS=1')).toHaveLength(1)
  })
})

describe('Telit', () => {
  const module: Answers = { 'AT+CGMI': 'Telit', 'AT+CGMM': 'HE910' }

  test('#STN at every message is no part of any answer', async () => {
    const driven = await started({
      ...module,
      'AT+CMGS=*': 'raw:\r\n#STN: 37\r\n\r\n> ',
      PDU: '#STN: 37\n+CMGS: 5\n#STN: 254',
    })
    expect(await driven.submit()).toMatchObject({ kind: 'accepted', messageReference: 5 })
    expect(driven.kinds('said').filter((event) => !event.known)).toEqual([])
  })

  test('reports are asked for in the PDU: CSMP is not needed', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    await driven.submit()
    expect(driven.port.commands.filter((command) => command.includes('CSMP'))).toEqual([])
  })

  test('HE910 takes USSD in the GSM character set', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CUSD=*': 'OK' })
    await driven.session()
    void driven.modem.ussd('*100#')
    await driven.pass(10)
    expect(driven.port.commands).toContain('AT+CSCS="GSM"')
    expect(driven.port.commands.at(-1)).toBe('AT+CUSD=1,"*100#",15')
  })

  test('text mode, which joins ten parts at most, is never used', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    await driven.submit()
    expect(driven.port.commands).not.toContain('AT+CMGF=1')
    expect(driven.port.commands).toContain('AT+CMGF=0')
  })

  test('no other command about the SIM is given while CMGS runs', async () => {
    const driven = await started({ ...module, PDU: 'silence', 'AT+CMGR=1': `+CMGR: 0,,31\n${deliverPdu}` })
    const sent = driven.submit()
    driven.port.tell('+CMTI: "SM",1')
    await driven.pass(10_000)
    expect(driven.port.commands).toEqual(['AT+CMGS=19'])
    driven.port.tell('+CMGS: 5\nOK')
    await driven.passing(sent)
    await driven.pass(10)
    expect(driven.port.commands).toContain('AT+CMGR=1')
  })
})

describe('Cinterion', () => {
  const module: Answers = { 'AT+CGMI': 'Cinterion', 'AT+CGMM': 'EHS6' }

  test.each(['+CMT: 31', '+CMT: ,31', '+CMT: "",31'])('%s is a message', async (line) => {
    const driven = await started(module)
    driven.port.tell(`${line}\n${deliverPdu}`)
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'message' } }])
  })

  test('CMMS is never sent', async () => {
    const driven = await started({ ...module, 'AT+CMMS=1': 'OK' })
    await Promise.all(['a', 'b', 'c'].map((id) => driven.submit(id, { moreFollow: true })))
    expect(driven.port.commands).not.toContain('AT+CMMS=1')
  })

  test('the third value of CNMI is 0', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CNMI=?': '+CNMI: (0,1,2),(0,1),(0),(0,1,2),(1)' })
    await driven.session()
    expect(driven.port.commands.filter((command) => /CNMI=\d,\d,[1-9]/.test(command))).toEqual([])
  })

  test('CNMA=1', async () => {
    const driven = await started({ ...module, 'AT+CNMA=1': 'OK' })
    expect(await driven.modem.acknowledge()).toBe(true)
  })

  test.each(['^SIND: smsfull,0', '^SSMSS: 0', '^SYSINFO: 1', '^SCKS: 1'])('%s is known', async (line) => {
    const driven = await started(module)
    driven.port.tell(line)
    expect(driven.kinds('said')).toMatchObject([{ known: true }])
  })

  test('^SPIC tells the tries left', async () => {
    const driven = new DrivenModem(
      { ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT^SPIC': '^SPIC: 1' },
      { simPin: '1234' },
    )
    expect(await driven.failure()).toMatchObject({ reason: 'pin-last-try', triesLeft: 1 })
  })
})

describe('Siemens MC35', () => {
  const module: Answers = { 'AT+CGMI': 'SIEMENS', 'AT+CGMM': 'MC35i' }

  test('a row of nothing but FF is no message', async () => {
    const rows = `+CMGL: 1,0,,20\n${'FF'.repeat(21)}\n+CMGL: 2,1,,31\n${deliverPdu}`
    const driven = new DrivenModem({ ...module, 'AT+CPMS=?': '+CPMS: ("MT"),("MT"),("MT")', 'AT+CMGL=4': rows })
    await driven.session()
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { memory: 'MT', index: 2 } } }])
  })

  test.each([520, 538, 600])('CMS %i means something else there: nobody knows whether it was sent', async (code) => {
    const driven = await started({ ...module, PDU: `+CMS ERROR: ${code}` })
    expect(await driven.submit()).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
  })
})

describe('Wavecom', () => {
  const module: Answers = { 'AT+CGMI': 'WAVECOM MODEM', 'AT+CGMM': 'MULTIBAND 900E 1800' }

  test('CPIN? without OK', async () => {
    await new DrivenModem({ ...module, 'AT+CPIN?': 'raw:\r\n+CPIN: READY\r\n' }).session()
  })
  test('CPMS takes one memory', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPMS=?': '+CPMS: (("SM","BM","SR"),("SM"))' })
    const session = await driven.session()
    expect(driven.port.commands).toContain('AT+CPMS="SM"')
    expect(driven.port.commands).not.toContain('AT+CPMS="SM","SM","SM"')
    expect(session.messages.memories).toEqual(['SM', 'SR'])
  })
  test('+WIND is known, and 4 says that it may have restarted', async () => {
    const driven = await started(module)
    await driven.pass(2000)
    driven.forget()
    driven.port.tell('+WIND: 7\n+WIND: 4')
    await driven.pass(10)
    expect(driven.kinds('said').map((event) => event.known)).toEqual([true, true])
    expect(driven.port.commands).toEqual(['AT+CMGF?', 'AT+CNMI?'])
  })
})

describe('Novatel', () => {
  test('reports straight cannot be acknowledged and end in la-la land: stored ones are asked for', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Novatel Wireless Incorporated', 'AT+CGMM': 'Ovation MC950D' })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 2 })
  })
  test('a report told of is read from its memory', async () => {
    const driven = await started({ 'AT+CGMI': 'Novatel Wireless', 'AT+CMGR=4': `+CMGR: 0,,24\n${reportPdu}` })
    driven.port.tell('+CDSI: "SM",4')
    await driven.pass(10)
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'status-report', source: { index: 4 } } }])
  })
})

describe('Nokia and other smartphones', () => {
  test('CPMS (),(),(): can send, and says that it cannot read', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Nokia', 'AT+CGMM': 'Nokia E51', 'AT+CPMS=?': '+CPMS: (),(),()' })
    const session = await driven.session()
    expect(session.shortcomings).toContain('no-readable-memory')
    expect((await driven.submit()).kind).toBe('accepted')
    expect(driven.port.commands.filter((command) => /CPMS="|CMGL/.test(command))).toEqual([])
    expect(session.profile.advice.join()).toContain('Can send')
  })
  test('what can be had straight is asked for', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Nokia', 'AT+CGMM': 'Nokia E51', 'AT+CPMS=?': '+CPMS: (),(),()' })
    expect((await driven.session()).messages.indications).toMatchObject({ messages: 2, reports: 1 })
  })
})

describe('Fibocom', () => {
  test('is known by maker and bus; nothing about messages differs', () => {
    const facts = { manufacturer: 'Fibocom Wireless Inc.', model: 'L850-GL', firmware: undefined, usb: '2cb7:0007' }
    const chosen = chooseProfile(catalogue, generic, facts)
    expect(chosen.name).toBe('fibocom')
    expect(chosen.indications).toEqual(generic.indications)
    expect(fibocom.advice.join()).toContain('MBIM')
  })
})

describe('D-Link DWM-156 and DWM-157', () => {
  const module: Answers = { 'AT+CGMI': 'D-Link', 'AT+CGMM': 'DWM-156', 'AT+CFUN=1': 'OK' }

  test('CFUN=1 comes first, whatever CFUN? says', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    expect(driven.port.commands.indexOf('AT+CFUN=1')).toBeLessThan(driven.port.commands.indexOf('AT+CPIN?'))
    expect(driven.port.commands).toContain('AT+CFUN=1')
  })

  test('SR cannot be listed: its reports are read one by one', async () => {
    const driven = new DrivenModem({
      ...module,
      'AT+CPMS=?': '+CPMS: ("SM","SR"),("SM"),("SM")',
      'AT+CPMS="SR"': '+CPMS: 1,10,0,30,0,30',
      'AT+CMGR=1': '+CMS ERROR: 321',
      'AT+CMGR=2': `+CMGR: 0,,24\n${reportPdu}`,
    })
    await driven.session()
    expect(driven.kinds('incoming')).toMatchObject([
      { incoming: { kind: 'status-report', source: { memory: 'SR', index: 2 } } },
    ])
    expect(driven.port.commands.filter((command) => command === 'AT+CMGL=4')).toHaveLength(1)
  })
})

describe('Option and Vodafone Mobile Connect', () => {
  const module: Answers = { 'AT+CGMI': 'Option N.V.', 'AT+CGMM': 'GlobeTrotter HSDPA Modem' }

  test('indexes start at 0', async () =>
    expect((await new DrivenModem(module).session()).profile.storage.indexBase).toBe(0))

  test('says that a PIN is required when it is switched off', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CLCK="SC",2': '+CLCK: 0' })
    await driven.session()
  })

  test('and means it when it is not', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CLCK="SC",2': '+CLCK: 1' })
    expect((await driven.failure()).reason).toBe('pin-required')
  })

  test.each(['_OSIGQ: 3,0', '_OBS: 1'])('%s is known', async (line) => {
    const driven = await started(module)
    driven.port.tell(line)
    expect(driven.kinds('said')).toMatchObject([{ known: true }])
  })
})
