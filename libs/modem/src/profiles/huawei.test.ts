import { expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, deliverPdu } from '../testing/driven-modem.ts'
import { huawei } from './huawei.ts'
import { roleOfUsbPort } from './usb-port.ts'

const stick: Answers = {
  'AT+CGMI': 'huawei',
  'AT+CGMM': 'E3372',
  'AT^CURC=0': 'OK',
  'AT^ICCID?': '^ICCID: 98942000002143658709',
}

async function started(answers: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem({ ...stick, ...answers })
  await driven.session()
  driven.forget()
  return driven
}

const noise =
  '^RSSI:18\n^RSSILVL:60\n^HRSSILVL:5\n^MODE:5,4\n^BOOT:20952548,0,0,0,75\n^DSFLOWRPT:0,0,0,0,0,0,0\n^HCSQ:"LTE",47,39,146,24\n' +
  '^CSNR:-90,-11\n^SRVST:2\n^SIMST:1\n^STIN:0,0,0\n^NWTIME:"26/03/01,15:46:11+28,00"\n^NDISSTAT:0,,,"IPV4"\n^PDPDEACT:1\n' +
  '^RFSWITCH:1,1\n^EONS:1\n^LWURC:1\n^ECCLIST:1\n^CSCHANNELINFO:1\n^CCALLSTATE:1\n^LTERSRP:-95,-10'

test('excludes unsolicited codes from answers', async () => {
  const driven = await started()
  driven.port.answer('AT+COPS?', `${noise}\n+COPS: 0,0,"Telekom.de",7\n${noise}`)
  driven.port.answer('AT+CMGR=0', `^RSSI:20\n+CMGR: 0,,31\n^HCSQ:"LTE",47,39,146,24\n${deliverPdu}\n^RSSI:20`)
  driven.port.answer('AT+CMGF?', 'silence')
  driven.port.tell('+CMTI: "SM",0')
  await driven.pass(10)
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { kind: 'message', pdu: deliverPdu } }])
})

test('recognises every unsolicited code of the list', async () => {
  const driven = await started()
  driven.port.tell(noise)
  expect(driven.kinds('said').filter((event) => !event.known)).toEqual([])
  expect(driven.kinds('said').length).toBeGreaterThan(15)
})

test('switches status codes off as soon as the vendor is known (^CURC=0)', async () => {
  const driven = new DrivenModem(stick)
  await driven.session()
  const { commands } = driven.port
  expect(commands.indexOf('AT^CURC=0')).toBe(commands.indexOf('AT+CGMR') + 1)
})

test('advises to open all ports, because an unread port may crash the stick', () => {
  expect(huawei.advice.join()).toContain('an unread port fills up')
})

test('does not list a memory that is reported empty, because it hangs after hours of CMGL', async () => {
  const driven = await started({ 'AT+CGMM': 'E173' })
  await driven.pass(300_000)
  expect(driven.port.commands).toContain('AT+CPMS="SM"')
  expect(driven.port.commands).not.toContain('AT+CMGL=4')
})

test('reports an incomplete CMGL, so that the modem can be reset', async () => {
  const driven = await started({ 'AT+CGMM': 'E173', 'AT+CPMS="SM"': '+CPMS: 3,20,0,20,0,20', 'AT+CMGL=4': 'silence' })
  await driven.pass(60_000)
  expect(driven.kinds('not-read')[0]).toMatchObject({ memory: 'SM', why: 'unanswered' })
})

test('reads indexes that begin at 0', async () => {
  const driven = await started({ 'AT+CMGR=0': `+CMGR: 0,,31\n${deliverPdu}` })
  driven.port.tell('+CMTI: "SM",0')
  await driven.pass(10)
  expect(driven.kinds('incoming')).toMatchObject([{ incoming: { source: { index: 0 } } }])
  expect(huawei.storage.indexBase).toBe(0)
})

test('packs USSD as septets in hexadecimal, in both directions', async () => {
  const driven = await started({ 'AT+CUSD=1,"AA180C3602",15': 'OK' })
  const asked = driven.modem.ussd('*100#')
  await driven.pass(10)
  driven.port.tell('+CUSD: 0,"C2303BEC1E97413390BD2C7FBBE96590BD2C7FBB00",15')
  expect(await driven.passing(asked)).toMatchObject({ kind: 'answer', status: 'answered' })
})

test('pads a USSD request of seven characters with CR', async () => {
  const driven = await started({ 'AT+CUSD=*': 'OK' })
  void driven.modem.ussd('*100*1#')
  await driven.pass(10)
  expect(driven.port.commands.at(-1)).toBe('AT+CUSD=1,"AA180CA68A8D1A",15')
})

test('treats COMMAND NOT SUPPORT as a refusal', async () => {
  const driven = await started({ 'AT+CTZU=1': 'COMMAND NOT SUPPORT' })
  const answer = await driven.modem.ask({ text: 'AT+CTZU=1', timeoutMs: 5000, read: () => true })
  expect(answer).toMatchObject({ kind: 'refused', error: { class: 'unsupported' } })
})

test('asks again after half a second when CPMS reports 0 right after an arrival (E3531)', async () => {
  const driven = await started({ 'AT+CGMM': 'E3531', 'AT+CMGR=0': '+CMS ERROR: 321' })
  driven.port.answer('AT+CPMS="SM"', ['+CPMS: 0,20,0,20,0,20', '+CPMS: 1,20,0,20,0,20'])
  driven.port.answer('AT+CMGL=4', [`+CMGL: 0,0,,31\n${deliverPdu}`, 'OK'])
  driven.port.tell('+CMTI: "SM",0')
  await driven.pass(10)
  expect(driven.kinds('incoming')).toEqual([])
  await driven.pass(1200)
  expect(driven.kinds('incoming')).toHaveLength(1)
})

test('never sends ^GETPORTMODE to an MU609, because the command crashes it', async () => {
  const driven = await started({ 'AT+CGMM': 'MU609' })
  const answer = await driven.modem.ask({ text: 'AT^GETPORTMODE', timeoutMs: 5000, read: () => true })
  expect(answer).toMatchObject({ kind: 'refused', error: { class: 'unsupported' } })
  expect(driven.port.commands).not.toContain('AT^GETPORTMODE')
})

test('distinguishes the ports by interface class: ff/02/01 dials, ff/02/02 takes commands', () => {
  const role = (interfaceClass: string) =>
    roleOfUsbPort(huawei.usb, { id: '12d1:1506', interfaceNumber: 0, interfaceClass })?.role
  expect(['ff/01/01', 'ff/02/01', 'ff/01/02', 'ff/02/02'].map(role)).toEqual(['ppp', 'ppp', 'at', 'at'])
})

test.each(['12d1:14dc', '12d1:14db'])(
  'HiLink firmware (%s) has no command port, and the description explains what to do',
  (id) => {
    const rule = roleOfUsbPort(huawei.usb, { id, interfaceNumber: 0, interfaceClass: undefined })
    expect(rule).toMatchObject({ role: 'not-a-modem' })
    expect(rule?.words).toContain('uses the web interface')
  },
)

test('loses only the signal value when CSQ is not answered during the start', async () => {
  const driven = await started({ 'AT+CSQ': ['silence', '^RSSI:18\n+CSQ: 20,99\n^HCSQ:"LTE",47,39,146,24'] })
  expect(await driven.passing(driven.modem.signal())).toMatchObject({ dBm: -73 })
})

test('restarts the MU736 with CFUN=16, because ^RESET has no effect on this modem', async () => {
  const driven = await started({ 'AT+CGMM': 'MU736', 'AT+CFUN=16': 'OK' })
  await driven.modem.reset()
  expect(driven.port.commands).toEqual(['AT+CFUN=16'])
})

test('empties the memories after ^SMMEMFULL', async () => {
  const driven = await started()
  driven.port.tell('^SMMEMFULL: "SM"')
  await driven.pass(10)
  expect(driven.port.commands).toContain('AT+CMGL=4')
})

test('never sends an acknowledgement with a PDU', async () => {
  const driven = await started({ 'AT+CSMS=*': 'ERROR', 'AT+CSMS?': '+CSMS: 1,1,1,1', 'AT+CNMA': 'OK' })
  expect(await driven.modem.acknowledge()).toBe(true)
  expect(driven.port.commands).toEqual(['AT+CNMA'])
  expect(driven.port.pdus).toEqual([])
})

test('polls the SIM for some seconds after the PIN', async () => {
  const driven = new DrivenModem(
    {
      ...stick,
      'AT+CPIN?': ['+CPIN: SIM PIN', '+CPIN: SIM PIN', '+CME ERROR: 14', '+CPIN: READY'],
      'AT^CPIN?': '^CPIN: SIM PIN,3,10,3,10,3',
      'AT+CPIN="1234"': 'OK',
    },
    { simPin: '1234' },
  )
  await driven.session()
})
