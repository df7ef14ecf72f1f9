import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem } from '../testing/driven-modem.ts'

const displayText = 'D00F8103012180820281028D0404486921'
const ended = '810301218082028281830110'

const huawei: Answers = { 'AT+CGMI': 'huawei', 'AT+CGMM': 'E3372', 'AT^STGR=*': 'OK' }
const simcom: Answers = { 'AT+CGMI': 'SIMCOM INCORPORATED', 'AT+CGMM': 'SIMCOM_SIM7600E-H', 'AT+STGR=*': 'OK' }
const wavecom: Answers = { 'AT+CGMI': 'WAVECOM MODEM', 'AT+CGMM': 'MULTIBAND  900E  1800', 'AT+STGR=*': 'OK' }
const telit: Answers = { 'AT+CGMI': 'Telit', 'AT+CGMM': 'HE910', 'AT#STSR=*': 'OK' }
const cinterion: Answers = { 'AT+CGMI': 'Cinterion', 'AT+CGMM': 'EHS6', 'AT^SSTGI=*': 'OK', 'AT^SSTR=*': 'OK' }
const ericsson: Answers = { 'AT+CGMI': 'Ericsson', 'AT*STKR=*': 'OK' }
const sierra: Answers = { 'AT+CGMI': 'Sierra Wireless, Incorporated', 'AT+CGMM': 'MC7304', 'AT!STKCR=*': 'OK' }
const standard: Answers = { 'AT+CUSATT=*': '+CUSATT: 0' }

async function started(answers: Answers): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  await driven.pass(5_000)
  driven.forget()
  return driven
}

/** Returns the commands that the driver writes in response to the line. */
async function responsesTo(line: string, answers: Answers): Promise<readonly string[]> {
  const driven = await started(answers)
  driven.port.tell(line)
  await driven.pass(500)
  return driven.port.commands
}

test.each([
  ['27.007', `+CUSATP: "${displayText}"`, standard, [`AT+CUSATT="${ended}"`]],
  ['Ericsson', `*STKI: "${displayText}"`, ericsson, [`AT*STKR="${ended}"`]],
  ['Huawei', '^STIN: 1,3,0', huawei, ['AT^STGR=1,3,0']],
  ['an old Huawei stick', '^STIN: 6', huawei, ['AT^STGR=6,0']],
  ['SIMCom', '+STIN: 21', simcom, ['AT+STGR=83']],
  ['Wavecom', '+STIN: 1', wavecom, ['AT+STGR=99']],
  ['Telit', '#STN: 33,129,"Top up"', telit, ['AT#STSR=33,16']],
  ['Telit, a call', '#STN: 16', telit, ['AT#STSR=16,34']],
  ['Cinterion', '^SSTN: 36', cinterion, ['AT^SSTGI=36', 'AT^SSTR=36,16']],
  ['Cinterion, the main menu', '^SSTN: 37', cinterion, ['AT^SSTGI=37', 'AT^SSTR=37,0']],
  ['Sierra', '!STKC: 21', sierra, ['AT!STKCR=21,0']],
  ['Sierra, an input', '!STKC: 23', sierra, ['AT!STKCR=23,1']],
  ['Sierra, a call', '!STKC: 10', sierra, ['AT!STKCR=10,7']],
  ['Sierra, the main menu', '!STKC: 25', sierra, ['AT!STKCR=25,0']],
])('%s: a command that waits for a person gets a response', async (_, line, answers, commands) => {
  expect(await responsesTo(line, answers)).toEqual(commands)
})

test.each([
  ['the main menu of Huawei', '^STIN: 0,0,0', huawei],
  ['the end of a session of Huawei', '^STIN: 99,0,0', huawei],
  ['the main menu of SIMCom', '+STIN: 25', simcom],
  ['the main menu of Telit', '#STN: 37', telit],
  ['the end of a session of Telit', '#STN: 254', telit],
  ['an SMS control of Telit', '#STN: 150,1', telit],
  ['the end of a session of Cinterion', '^SSTN: 254', cinterion],
  ['the end of a session of Sierra', '!STKC: 81', sierra],
  ['a notification of Sierra', '!STKN: 21,0', sierra],
  ['a command of Sierra without a published result', '!STKC: 24', sierra],
  ['a line without a command', '+CUSATP: "00"', standard],
])('%s gets no response', async (_, line, answers) => {
  expect(await responsesTo(line, answers)).toEqual([])
})

describe('the responder', () => {
  test('the responder responds during setup, because the SIM may be busy until then', async () => {
    const driven = new DrivenModem({ ...simcom, 'AT+CPIN?': '+CME ERROR: 14' })
    const starting = driven.modem.start()
    await driven.pass(3_000)
    driven.port.tell('+STIN: 22')
    await driven.pass(2_000)
    expect(driven.port.commands).toContain('AT+STGR=83')
    driven.port.answer('AT+CPIN?', '+CPIN: READY')
    expect((await driven.passing(starting)).kind).toBe('started')
  })

  test('the responder waits for the message that is being sent, and responds before the next message', async () => {
    const driven = await started({ ...simcom, PDU: 'busy' })
    const first = driven.submit('a')
    await driven.pass(1_000)
    const second = driven.submit('b')
    driven.port.tell('+STIN: 21')
    await driven.pass(1_000)
    expect(driven.port.commands).not.toContain('AT+STGR=83')
    driven.port.answer('PDU', '+CMGS: 18')
    driven.port.finish('+CMGS: 17\nOK')
    expect(await driven.passing(first)).toMatchObject({ kind: 'accepted', messageReference: 17 })
    expect(await driven.passing(second)).toMatchObject({ kind: 'accepted', messageReference: 18 })
    const [, ...later] = driven.port.commands.filter((command) => /^AT\+(CMGS|STGR)/.test(command))
    expect(later).toEqual(['AT+STGR=83', 'AT+CMGS=19'])
  })

  test('the responder responds only once while the modem repeats the code', async () => {
    const driven = await started({ ...simcom, 'AT+STGR=*': 'silence' })
    for (let count = 0; count < 5; count += 1) driven.port.tell('+STIN: 21')
    await driven.pass(1_000)
    expect(driven.port.commands.filter((command) => command === 'AT+STGR=83')).toHaveLength(1)
  })

  test('the responder waits two seconds between responses to a SIM that sends the next command at once', async () => {
    const driven = await started(simcom)
    for (let count = 0; count < 100; count += 1) {
      driven.port.tell('+STIN: 21')
      await driven.pass(100)
    }
    expect(driven.port.commands.filter((command) => command === 'AT+STGR=83').length).toBeLessThanOrEqual(6)
  })

  test('the responder discards the command of the SIM when the modem restarts', async () => {
    const driven = await started(simcom)
    driven.port.tell('+STIN: 21')
    await driven.pass(100)
    driven.port.tell('+STIN: 22')
    driven.port.tell('RDY')
    await driven.pass(5_000)
    expect(driven.port.commands.filter((command) => command === 'AT+STGR=83')).toHaveLength(1)
  })
})
