import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, deliverPdu, reportPdu } from '../testing/driven-modem.ts'
import { catalogue } from './catalogue.ts'
import { chooseProfile } from './fingerprint.ts'
import { genericProfile } from './generic.ts'
import { fibocom, sierra } from './other-vendors.ts'
import { roleOfUsbPort } from './usb-port.ts'

async function started(answers: Answers): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

describe('Sierra', () => {
  const module: Answers = { 'AT+CGMI': 'Sierra Wireless, Incorporated', 'AT+CGMM': 'MC7304' }

  test('Sierra: waits until the modem answers again after the early OK to CFUN=1', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CFUN?': '+CFUN: 0', 'AT+CFUN=1': 'OK' })
    const starting = driven.modem.start()
    await driven.pass(1000)
    expect(driven.port.commands.at(-1)).toBe('AT+CFUN=1')
    expect((await driven.passing(starting)).kind).toBe('started')
    expect(driven.clock.nowMs()).toBeGreaterThanOrEqual(2000)
  })

  test('Sierra: does not regard the APP port, which answers OK to everything, as a modem', async () => {
    const okToAll = Object.fromEntries(
      ['AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS', 'AT+CMGF?'].map((command) => [command, 'OK']),
    )
    expect((await new DrivenModem(okToAll).failure()).reason).toBe('not-a-modem')
    const rule = roleOfUsbPort(sierra.usb, { id: '1199:68c0', interfaceNumber: 4, interfaceClass: undefined })
    expect(rule?.words).toContain('OK to everything')
  })
})

describe('u-blox', () => {
  const module: Answers = { 'AT+CGMI': 'u-blox', 'AT+CGMM': 'TOBY-L210', 'AT+UPINCNT': '+UPINCNT: 3,3,10,10' }

  test('u-blox: sends AT until the modem answers, and waits one more second', async () => {
    const driven = new DrivenModem({ ...module, AT: ['silence', 'silence', 'OK'] }, { usb: '1546:1146' })
    const starting = driven.modem.start()
    await driven.pass(5600)
    expect(driven.port.commands).toEqual([])
    expect((await driven.passing(starting)).kind).toBe('started')
  })

  test('u-blox: treats +AT: READY of TOBY-L4 as a restart', async () => {
    const driven = await started(module)
    driven.port.tell('+AT: READY')
    await driven.pass(1000)
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(driven.kinds('started')).toHaveLength(1)
  })

  test('u-blox: keeps the link open for messages that are less than five seconds apart', async () => {
    const driven = await started({ ...module, 'AT+CMMS=1': 'OK' })
    await driven.submit('a', { moreFollow: true })
    await driven.pass(4000)
    await driven.submit('b', { moreFollow: true })
    expect(driven.port.commands.filter((command) => command === 'AT+CMMS=1')).toHaveLength(1)
  })
})

describe('Telit', () => {
  const module: Answers = { 'AT+CGMI': 'Telit', 'AT+CGMM': 'HE910' }

  test('Telit: excludes #STN from answers', async () => {
    const driven = await started({
      ...module,
      'AT+CMGS=*': 'raw:\r\n#STN: 37\r\n\r\n> ',
      PDU: '#STN: 37\n+CMGS: 5\n#STN: 254',
    })
    expect(await driven.submit()).toMatchObject({ kind: 'accepted', messageReference: 5 })
    expect(driven.kinds('said').filter((event) => !event.known)).toEqual([])
  })

  test('Telit: requests reports in the PDU, without CSMP', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    await driven.submit()
    expect(driven.port.commands.filter((command) => command.includes('CSMP'))).toEqual([])
  })

  test('Telit: uses USSD in the GSM character set on HE910', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CUSD=*': 'OK' })
    await driven.session()
    void driven.modem.ussd('*100#')
    await driven.pass(10)
    expect(driven.port.commands).toContain('AT+CSCS="GSM"')
    expect(driven.port.commands.at(-1)).toBe('AT+CUSD=1,"*100#",15')
  })

  test('Telit: never uses text mode, which joins at most ten parts', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    await driven.submit()
    expect(driven.port.commands).not.toContain('AT+CMGF=1')
    expect(driven.port.commands).toContain('AT+CMGF=0')
  })

  test('Telit: sends no other SIM command while CMGS runs', async () => {
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

  test.each(['+CMT: 31', '+CMT: ,31', '+CMT: "",31'])('Cinterion: recognises %s as a message', async (line) => {
    const driven = await started(module)
    driven.port.tell(`${line}\n${deliverPdu}`)
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'message' } }])
  })

  test('Cinterion: never sends CMMS', async () => {
    const driven = await started({ ...module, 'AT+CMMS=1': 'OK' })
    await Promise.all(['a', 'b', 'c'].map((id) => driven.submit(id, { moreFollow: true })))
    expect(driven.port.commands).not.toContain('AT+CMMS=1')
  })

  test('Cinterion: sets the third value of CNMI to 0', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CNMI=?': '+CNMI: (0,1,2),(0,1),(0),(0,1,2),(1)' })
    await driven.session()
    expect(driven.port.commands.filter((command) => /CNMI=\d,\d,[1-9]/.test(command))).toEqual([])
  })

  test('Cinterion: acknowledges with CNMA=1', async () => {
    const driven = await started({ ...module, 'AT+CNMA=1': 'OK' })
    expect(await driven.modem.acknowledge()).toBe(true)
  })

  test.each(['^SIND: smsfull,0', '^SSMSS: 0', '^SYSINFO: 1', '^SCKS: 1'])('Cinterion: knows %s', async (line) => {
    const driven = await started(module)
    driven.port.tell(line)
    expect(driven.kinds('said')).toMatchObject([{ known: true }])
  })

  test('Cinterion: reads the attempts left from ^SPIC', async () => {
    const driven = new DrivenModem(
      { ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT^SPIC': '^SPIC: 1' },
      { simPin: '1234' },
    )
    expect(await driven.failure()).toMatchObject({ reason: 'pin-last-try', triesLeft: 1 })
  })
})

describe('Siemens MC35', () => {
  const module: Answers = { 'AT+CGMI': 'SIEMENS', 'AT+CGMM': 'MC35i' }

  test('ignores a row of only FF', async () => {
    const rows = `+CMGL: 1,0,,20\n${'FF'.repeat(21)}\n+CMGL: 2,1,,31\n${deliverPdu}`
    const driven = new DrivenModem({ ...module, 'AT+CPMS=?': '+CPMS: ("MT"),("MT"),("MT")', 'AT+CMGL=4': rows })
    await driven.session()
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { memory: 'MT', index: 2 } } }])
  })

  test.each([520, 538, 600])('CMS %i has another meaning on this modem, so the outcome is unknown', async (code) => {
    const driven = await started({ ...module, PDU: `+CMS ERROR: ${code}` })
    expect(await driven.submit()).toMatchObject({ kind: 'unknown', why: 'ambiguous-code' })
  })
})

describe('Wavecom', () => {
  const module: Answers = { 'AT+CGMI': 'WAVECOM MODEM', 'AT+CGMM': 'MULTIBAND 900E 1800' }

  test('Wavecom: accepts CPIN? without OK', async () => {
    await new DrivenModem({ ...module, 'AT+CPIN?': 'raw:\r\n+CPIN: READY\r\n' }).session()
  })
  test('Wavecom: sends one memory in CPMS', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPMS=?': '+CPMS: (("SM","BM","SR"),("SM"))' })
    const session = await driven.session()
    expect(driven.port.commands).toContain('AT+CPMS="SM"')
    expect(driven.port.commands).not.toContain('AT+CPMS="SM","SM","SM"')
    expect(session.messages.memories).toEqual(['SM', 'SR'])
  })
  test('Wavecom: recognises +WIND codes, and +WIND: 4 as a likely restart', async () => {
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
  test('Novatel: stores reports, because the modem stops answering after a direct report, which cannot be acknowledged', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Novatel Wireless Incorporated', 'AT+CGMM': 'Ovation MC950D' })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 2 })
  })
  test('Novatel: reads an indicated report from its memory', async () => {
    const driven = await started({ 'AT+CGMI': 'Novatel Wireless', 'AT+CMGR=4': `+CMGR: 0,,24\n${reportPdu}` })
    driven.port.tell('+CDSI: "SM",4')
    await driven.pass(10)
    expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'status-report', source: { index: 4 } } }])
  })
})

describe('Nokia and other smartphones', () => {
  test('sends although CPMS reports (),(),(), and reports that received messages are not readable', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Nokia', 'AT+CGMM': 'Nokia E51', 'AT+CPMS=?': '+CPMS: (),(),()' })
    const session = await driven.session()
    expect(session.shortcomings).toContain('no-readable-memory')
    expect((await driven.submit()).kind).toBe('accepted')
    expect(driven.port.commands.filter((command) => /CPMS="|CMGL/.test(command))).toEqual([])
    expect(session.profile.advice.join()).toContain('Can send')
  })
  test('requests direct delivery', async () => {
    const driven = new DrivenModem({ 'AT+CGMI': 'Nokia', 'AT+CGMM': 'Nokia E51', 'AT+CPMS=?': '+CPMS: (),(),()' })
    expect((await driven.session()).messages.indications).toMatchObject({ messages: 2, reports: 1 })
  })
})

describe('Fibocom', () => {
  test('Fibocom is recognised by manufacturer and USB id; messages work as in generic', () => {
    const facts = { manufacturer: 'Fibocom Wireless Inc.', model: 'L850-GL', firmware: undefined, usb: '2cb7:0007' }
    const chosen = chooseProfile(catalogue, genericProfile, facts)
    expect(chosen.name).toBe('fibocom')
    expect(chosen.indications).toEqual(genericProfile.indications)
    expect(fibocom.advice.join()).toContain('MBIM')
  })
})

describe('D-Link DWM-156 and DWM-157', () => {
  const module: Answers = { 'AT+CGMI': 'D-Link', 'AT+CGMM': 'DWM-156', 'AT+CFUN=1': 'OK' }

  test('sends CFUN=1 first, with any answer to CFUN?', async () => {
    const driven = new DrivenModem(module)
    await driven.session()
    expect(driven.port.commands.indexOf('AT+CFUN=1')).toBeLessThan(driven.port.commands.indexOf('AT+CPIN?'))
    expect(driven.port.commands).toContain('AT+CFUN=1')
  })

  test('reads the reports in SR one by one, because SR cannot be listed', async () => {
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

  test('works when the modem reports that it requires a PIN although the PIN is disabled', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CLCK="SC",2': '+CLCK: 0' })
    await driven.session()
  })

  test('enters the PIN if the PIN is enabled', async () => {
    const driven = new DrivenModem({ ...module, 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CLCK="SC",2': '+CLCK: 1' })
    expect((await driven.failure()).reason).toBe('pin-required')
  })

  test.each(['_OSIGQ: 3,0', '_OBS: 1'])('knows %s', async (line) => {
    const driven = await started(module)
    driven.port.tell(line)
    expect(driven.kinds('said')).toMatchObject([{ known: true }])
  })
})

describe('Qualcomm', () => {
  const stick: Answers = { 'AT+CGMI': 'QUALCOMM INCORPORATED', 'AT+CGMM': 'M6280' }

  test('Qualcomm: uses mode 1 when the modem lists mode 2 but refuses it', async () => {
    const refused = Object.fromEntries([0, 1, 2].map((reports) => [`AT+CNMI=2,1,0,${reports},0`, '+CMS ERROR: 303']))
    const driven = new DrivenModem({ ...stick, ...refused })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 1, messages: 1, reports: 1 })
  })

  test('Qualcomm: stores reports (ds=2) when the modem refuses direct reports (ds=1)', async () => {
    const driven = new DrivenModem({ ...stick, 'AT+CNMI=2,1,0,1,0': 'ERROR' })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 2 })
  })

  test('Qualcomm: starts a new USSD session after a cancelled one', async () => {
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

  test('Qualcomm: asks again while the SIM is busy after the start (CME 14 to CSCA?)', async () => {
    const busy = Array.from({ length: 5 }, () => '+CME ERROR: 14')
    const driven = new DrivenModem({ ...stick, 'AT+CSCA?': [...busy, '+CSCA: "+491710760000",145'] })
    expect((await driven.session()).sim.serviceCentre).toMatchObject({ number: '+491710760000' })
  })

  test('Qualcomm: never sends AT+CSMP=, which clears the service centre of an M6280', async () => {
    const driven = new DrivenModem({ ...stick, 'AT+CSMP=*': 'OK' })
    await driven.session()
    await driven.modem.ask({ text: 'AT+CSMP=17,167,0,0', timeoutMs: 5000, read: () => true })
    expect(driven.port.commands.filter((command) => command.includes('CSMP'))).toEqual([])
  })
})
