import { describe, expect, test } from 'vitest'
import { DrivenModem } from '../testing/driven-modem.ts'

describe('setup', () => {
  test('reads settings before it changes them, and ends ready', async () => {
    const driven = new DrivenModem()
    const session = await driven.session()
    expect(session).toMatchObject({
      identity: { imei: '490154203237518', manufacturer: 'Anyone', model: 'Modem One' },
      profile: { name: 'generic' },
      sim: { imsi: '262011234567890', iccid: '89490200001234567890', serviceCentre: { number: '+491710760000' } },
      messages: { memories: ['SM', 'ME'], receiveInto: 'SM', indications: { mode: 2, messages: 1, reports: 1 } },
      registrationDomains: ['+CREG'],
      shortcomings: [],
    })
    expect(driven.states).toEqual(['probing', 'identifying', 'sim', 'registering', 'ready'])
  })

  test('setup works although all optional commands are unsupported', async () => {
    const bare = Object.fromEntries(
      ['ATV1', 'AT+CMEE=1', 'AT+CGMI', 'AT+CGMM', 'AT+CGMR', 'AT+CFUN?', 'AT+CSCS=*', 'AT+CSMS=*', 'AT+CPMS=?']
        .concat(['AT+CNMI=?', 'AT+CNMI=*', 'AT+CNMI?', 'AT+CIMI', 'AT+CSCA?', 'AT+CCID', 'AT+CNUM', 'AT+CREG=*'])
        .map((command) => [command, 'ERROR']),
    )
    const session = await new DrivenModem(bare).session()
    expect(session.shortcomings).toEqual(['no-indications', 'no-error-codes'])
    expect(session.sim).toMatchObject({ iccid: undefined, imsi: undefined, serviceCentre: 'unknown' })
  })

  test('a modem that does not answer unsupported commands is set up within 100 seconds', async () => {
    const questions = ['AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS', 'AT+CMGF?', 'AT+CNMI?']
    const bare = Object.fromEntries(
      [...questions, 'ATV1', 'AT+CMEE=1', 'AT+CGMI', 'AT+CGMM', 'AT+CGMR', 'ATI', 'AT+CFUN?', 'AT+CSCS=*', 'AT+CSMS=*']
        .concat(['AT+CPMS=*', 'AT+CPMS?', 'AT+CNMI=*', 'AT+CSCA?', 'AT+CCID', 'AT+CNUM', 'AT+CREG=*', 'AT+CLIP=*'])
        .map((command) => [command, 'raw:']),
    )
    const driven = new DrivenModem({ ...bare, 'AT+CNMI?': '+CNMI: 1,0,0,0,0' })
    const reply = driven.port.reply
    driven.port.reply = (line) => reply(line)?.replace('\r\nERROR\r\n', '')
    const session = await driven.session()
    expect(session.identity.imei).toBe('490154203237518')
    expect(driven.clock.nowMs()).toBeLessThan(100_000)
  })

  test('writes only ESC and AT until the modem answers, even for a long time', async () => {
    const driven = new DrivenModem({ AT: Array.from({ length: 4 }, () => 'silence').concat('OK') })
    await driven.session()
    const before = driven.port.written.slice(
      0,
      driven.port.written.findIndex((text) => text.startsWith('ATE0')),
    )
    expect(
      before.map((text) => text.replace('\x1b', '')).filter((text) => !/^AT(\+(CMEE|CSCS)=?\?)?\r$/.test(text)),
    ).toEqual([])
  })

  test('setup ends with a reason when the modem does not answer', async () => {
    const failure = await new DrivenModem({ AT: 'silence' }).failure()
    expect(failure.reason).toBe('no-answer')
    expect(failure.advice).toContain('power')
  })

  test('closes a multiplexer that another program left open', async () => {
    const driven = new DrivenModem({ AT: 'silence' })
    const started = driven.modem.start()
    await driven.clock.advance(20_000)
    expect(driven.port.written).toContain('\xf9\x03\xef\x05\xc3\x01\xf2\xf9')
    driven.port.answer('AT', 'OK')
    expect((await driven.passing(started)).kind).toBe('started')
  })

  test('setup leaves a data call with +++ between two seconds of silence, and hangs up', async () => {
    const driven = new DrivenModem({ AT: 'silence', ATH: 'NO CARRIER\nOK' })
    const writtenAtMs: number[] = []
    const write = driven.port.write.bind(driven.port)
    driven.port.write = (bytes) => {
      writtenAtMs.push(driven.clock.nowMs())
      write(bytes)
    }
    const started = driven.modem.start()
    await driven.pass(20_000)
    const at = driven.port.written.indexOf('+++')
    expect(at).toBeGreaterThan(0)
    const times = [-1, 0, 1].map((step) => writtenAtMs[at + step] ?? Number.NaN)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000)
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(1_000)
    driven.port.answer('AT', 'OK')
    expect((await driven.passing(started)).kind).toBe('started')
    expect(driven.port.commands).toContain('ATH')
  })

  test('refuses a port that answers OK to everything, without waiting', async () => {
    const driven = new DrivenModem(okToEverything)
    expect((await driven.failure()).reason).toBe('not-a-modem')
    expect(driven.port.commands.filter((command) => command !== 'AT+CMGF?')).toEqual([])
    expect(driven.clock.nowMs()).toBeLessThan(30_000)
  })

  test('reads the IMEI with another command (NB-IoT)', async () => {
    const driven = new DrivenModem({ 'AT+CGSN': 'ABC123', 'AT+CGSN=1': '+CGSN: 490154203237518' })
    expect((await driven.session()).identity.imei).toBe('490154203237518')
  })

  test('switches the radio on if it was off', async () => {
    const driven = new DrivenModem({ 'AT+CFUN?': '+CFUN: 4', 'AT+CFUN=1': 'OK' })
    await driven.session()
    expect(driven.port.commands).toContain('AT+CFUN=1')
  })

  test('reports that a modem has stopped answering during setup, instead of missing functions', async () => {
    const driven = new DrivenModem({ 'AT+CSMS=*': 'silence' })
    const started = driven.modem.start()
    await driven.clock.advance(100)
    driven.port.answer('AT', 'silence')
    const outcome = await driven.passing(started)
    expect(outcome).toMatchObject({ kind: 'failed', failure: { reason: 'fell-silent' } })
  })

  test('setup leaves no timer running when the port is lost', async () => {
    const driven = new DrivenModem({ 'AT+CSMS=*': 'silence' })
    const started = driven.modem.start()
    await driven.clock.advance(100)
    driven.port.lose()
    expect((await started).kind).toBe('cancelled')
    expect(driven.modem.state).toEqual({ name: 'absent', why: 'unplugged' })
    await driven.clock.advance(600_000)
    expect(driven.clock.pending).toBe(0)
  })
})

describe('an incomplete modem is used, and its session lists a shortcoming', () => {
  const noNumber = { 'AT+CGSN': 'ERROR', 'AT+GSN': 'ERROR', 'AT+CGSN=1': 'ERROR', ATI: 'OK' }

  test('an incomplete modem is used: without an IMEI', async () => {
    const session = await new DrivenModem(noNumber).session()
    expect(session.identity).toMatchObject({ imei: undefined, serial: undefined })
    expect(session.shortcomings).toEqual(['no-imei'])
  })

  test('an incomplete modem is used: without any identification', async () => {
    const nameless = { ...noNumber, 'AT+CGMI': 'OK', 'AT+CGMM': 'ERROR', 'AT+CGMR': 'ERROR' }
    expect((await new DrivenModem(nameless).session()).shortcomings).toEqual(['no-imei'])
  })

  test('an incomplete modem is used: with an IMEI of ten digits', async () => {
    const session = await new DrivenModem({ ...noNumber, 'AT+CGSN': '1234567890' }).session()
    expect(session.identity).toMatchObject({ imei: undefined, serial: '1234567890' })
    expect(session.shortcomings).toEqual(['imei-malformed'])
  })

  test('an incomplete modem is used: with an IMEI that is readable only when the SIM is ready', async () => {
    const late = { ...noNumber, 'AT+CGSN': ['ERROR', '490154203237518'] }
    const session = await new DrivenModem(late).session()
    expect(session.identity.imei).toBe('490154203237518')
    expect(session.shortcomings).toEqual([])
  })

  test('an incomplete modem is used: with ERROR as the answer to a bare AT', async () => {
    const driven = new DrivenModem({ AT: 'ERROR' })
    expect((await driven.session()).shortcomings).toEqual(['at-refused'])
    // No attempt waited for its timeout.
    expect(driven.clock.nowMs()).toBeLessThan(2_500)
    expect((await driven.passing(driven.submit())).kind).toBe('accepted')
  })

  test('an incomplete modem is used: without +CMEE in any form', async () => {
    const refused = { 'AT+CMEE?': 'ERROR', 'AT+CMEE=?': 'ERROR', 'AT+CMEE=1': 'ERROR' }
    expect((await new DrivenModem(refused).session()).shortcomings).toEqual(['no-error-codes'])
  })

  test('an incomplete modem is used: with OK alone as the answer to the resynchronisation questions', async () => {
    const terse = { 'AT+CMEE?': 'OK', 'AT+CSCS?': 'OK' }
    expect((await new DrivenModem(terse).session()).shortcomings).toEqual([])
  })

  test('an incomplete modem is used: with only the message format as a resynchronisation question', async () => {
    const only = {
      'AT+CMEE?': 'ERROR',
      'AT+CMEE=?': 'ERROR',
      'AT+CSCS?': 'ERROR',
      'AT+GCAP': 'ERROR',
      'AT+CPAS': 'ERROR',
    }
    expect((await new DrivenModem(only).session()).shortcomings).toEqual([])
  })

  test('an incomplete modem is used: without AT+CNMI?', async () => {
    expect((await new DrivenModem({ 'AT+CNMI?': 'ERROR' }).session()).shortcomings).toEqual(['indications-unverified'])
  })
})

const okToEverything = Object.fromEntries(
  ['AT', 'AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS', 'AT+CMGF?'].map((command) => [command, 'OK']),
)

describe('the SIM', () => {
  const locked = { 'AT+CPIN?': ['+CPIN: SIM PIN', '+CPIN: SIM PIN', '+CPIN: READY'], 'AT+CPIN="1234"': 'OK' }

  test('the SIM is queried again while it is busy', async () => {
    const busy = Array.from({ length: 10 }, () => '+CME ERROR: 14')
    const driven = new DrivenModem({ 'AT+CPIN?': [...busy, '+CPIN: READY'] })
    await driven.session()
    expect(driven.clock.nowMs()).toBeGreaterThanOrEqual(10_000)
  })

  test('the SIM is read within a tenth of a second when the modem reports that it is ready', async () => {
    const driven = new DrivenModem({ 'AT+CPIN?': ['+CME ERROR: 14', '+CPIN: READY'] }, { simPollMs: 60_000 })
    const started = driven.modem.start()
    await driven.pass(10)
    driven.port.tell('+CPIN: READY')
    await driven.pass(100)
    expect((await started).kind).toBe('started')
  })

  test('a SIM that stays busy ends setup with a reason', async () => {
    const driven = new DrivenModem({ 'AT+CPIN?': '+CME ERROR: 14' })
    expect((await driven.failure()).reason).toBe('sim-busy')
  })

  test('the SIM may be missing for a while after the modem has started', async () => {
    const driven = new DrivenModem({ 'AT+CPIN?': ['+CME ERROR: 10', '+CME ERROR: 10', '+CPIN: READY'] })
    await driven.session()
  })

  test.each([
    ['+CME ERROR: 10', 'no-sim'],
    ['+CME ERROR: 13', 'sim-failure'],
    ['+CPIN: SIM PUK', 'puk-required'],
    ['+CPIN: PH-NET PIN', 'modem-locked'],
    ['+CPIN: SIM PIN', 'pin-required'],
  ])('%s ends the start: %s', async (answer, reason) => {
    const driven = new DrivenModem({ 'AT+CPIN?': answer })
    const failure = await driven.failure()
    expect(failure.reason).toBe(reason)
    expect(failure.advice).not.toBe('')
    expect(driven.modem.state.name).toBe('blocked')
  })

  test.each(['+CPIN: SIM PIN2', '+CPIN: SIM PUK2'])('%s does not prevent sending', async (answer) => {
    await new DrivenModem({ 'AT+CPIN?': answer }).session()
  })

  test('the SIM receives its PIN after the attempts left were read', async () => {
    const driven = new DrivenModem({ ...locked, 'AT+CPINR': '+CPINR: SIM PIN,3,3' }, { simPin: '1234' })
    await driven.session()
    const asked = driven.port.commands.filter((command) => command.includes('CPIN'))
    expect(asked).toEqual(['AT+CPIN?', 'AT+CPINR', 'AT+CPIN="1234"', 'AT+CPIN?', 'AT+CPIN?'])
  })

  test('the SIM reports the attempts left when no PIN is configured', async () => {
    const driven = new DrivenModem({ ...locked, 'AT+CPINR': '+CPINR: SIM PIN,2,3' })
    expect(await driven.failure()).toMatchObject({ reason: 'pin-required', triesLeft: 2 })
  })

  test.each([1, 0])('the SIM receives no PIN when %i attempts are left', async (tries) => {
    const driven = new DrivenModem({ ...locked, 'AT+CPINR': `+CPINR: SIM PIN,${tries},3` }, { simPin: '1234' })
    expect(await driven.failure()).toMatchObject({ reason: 'pin-last-try', triesLeft: tries })
    await driven.clock.advance(3_600_000)
    expect(driven.port.commands).not.toContain('AT+CPIN="1234"')
  })

  test('the SIM receives no PIN when the modem does not report the attempts left', async () => {
    const driven = new DrivenModem(locked, { simPin: '1234' })
    expect((await driven.failure()).reason).toBe('pin-tries-unknown')
    expect(driven.port.commands).not.toContain('AT+CPIN="1234"')
  })

  test('the SIM reports its attempts through the card when the modem has no counter', async () => {
    const driven = new DrivenModem({ ...locked, 'AT+CSIM=10,"0020000100"': '+CSIM: 4,"63C3"' }, { simPin: '1234' })
    await driven.session()
  })

  test('a SIM that refused a PIN never receives this PIN again, even in a repeated setup', async () => {
    const driven = new DrivenModem(
      { 'AT+CPIN?': '+CPIN: SIM PIN', 'AT+CPIN="1234"': '+CME ERROR: 16', 'AT+CPINR': '+CPINR: SIM PIN,3,3' },
      { simPin: '1234' },
    )
    expect(await driven.failure()).toMatchObject({ reason: 'pin-wrong', triesLeft: 3 })
    await driven.clock.advance(3_600_000)
    expect((await driven.failure()).reason).toBe('pin-wrong')
    expect(driven.port.commands.filter((command) => command === 'AT+CPIN="1234"')).toHaveLength(1)
  })

  test('the SIM accepts a corrected PIN', async () => {
    const driven = new DrivenModem(
      {
        ...locked,
        'AT+CPIN?': '+CPIN: SIM PIN',
        'AT+CPINR': '+CPINR: SIM PIN,3,3',
        'AT+CPIN="9999"': '+CME ERROR: 16',
      },
      { simPin: '9999' },
    )
    expect((await driven.failure()).reason).toBe('pin-wrong')
    driven.port.answer('AT+CPIN?', ['+CPIN: SIM PIN', '+CPIN: READY'])
    expect((await driven.passing(driven.modem.useSimPin('1234'))).kind).toBe('started')
  })

  test.each(['12', 'abcd', '123456789', '12 34'])('does not enter %j, which cannot be a PIN', async (simPin) => {
    const driven = new DrivenModem({ ...locked, 'AT+CPINR': '+CPINR: SIM PIN,3,3' }, { simPin })
    expect((await driven.failure()).reason).toBe('pin-malformed')
  })
})

describe('messages', () => {
  test('messages are configured after repeated attempts if the modem refuses until the SIM was read', async () => {
    const driven = new DrivenModem({ 'AT+CMGF=0': ['ERROR', '+CMS ERROR: 302', '+CMS ERROR: 515', 'OK'] })
    await driven.session()
    expect(driven.port.commands.filter((command) => command === 'AT+CMGF=0')).toHaveLength(4)
  })

  test('messages cannot be handled without PDU mode', async () => {
    const driven = new DrivenModem({ 'AT+CMGF=0': 'ERROR', 'AT+CMGF?': '+CMGF: 1' })
    expect((await driven.failure()).reason).toBe('pdu-mode-refused')
  })

  test('a modem that lists only text mode is refused without waiting', async () => {
    const driven = new DrivenModem({ 'AT+CMGF=0': 'ERROR', 'AT+CMGF=?': '+CMGF: (1)', 'AT+CMGF?': '+CMGF: 1' })
    expect((await driven.failure()).reason).toBe('pdu-mode-refused')
    expect(driven.clock.nowMs()).toBeLessThan(5_000)
  })

  test('messages use the first accepted setting of the indication ladder', async () => {
    const driven = new DrivenModem({
      'AT+CNMI=2,1,0,1,0': 'ERROR',
      'AT+CNMI=2,1,0,2,0': '+CMS ERROR: 303',
      'AT+CNMI=2,1,0,0,0': 'ERROR',
    })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 1, reports: 1 })
  })

  test('a setting of the ladder is not skipped because the SIM is busy', async () => {
    const driven = new DrivenModem({ 'AT+CNMI=2,1,0,1,0': ['+CMS ERROR: 314', '+CME ERROR: 14', 'OK'] })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 1 })
  })

  test('tries settings that the modem lists first', async () => {
    const driven = new DrivenModem({ 'AT+CNMI=?': '+CNMI: (1),(0,1),(0),(2),(0)' })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 1, reports: 2 })
    expect(driven.port.commands.filter((command) => /CNMI=\d/.test(command))).toEqual(['AT+CNMI=1,1,0,2,0'])
  })

  test('CNMI has the last value 1 if the modem supports no other value', async () => {
    const driven = new DrivenModem({ 'AT+CNMI=?': '+CNMI: (0-2),(0-3),(0,2),(0-2),(1)', 'AT+CNMI=2,1,0,1,0': 'ERROR' })
    expect((await driven.session()).messages.indications).toMatchObject({ mode: 2, reports: 1, buffer: 1 })
  })

  test('a modem without indications is swept more often', async () => {
    const driven = new DrivenModem({ 'AT+CNMI=*': 'ERROR' })
    expect((await driven.session()).shortcomings).toEqual(['no-indications'])
    driven.forget()
    await driven.clock.advance(11_000)
    expect(driven.port.commands.filter((command) => command === 'AT+CPMS="SM"')).toHaveLength(2)
  })

  test('missing reports are a shortcoming, not a failure', async () => {
    const driven = new DrivenModem({ 'AT+CNMI=*': 'ERROR', 'AT+CNMI=1,1,0,0,0': 'OK' })
    expect((await driven.session()).shortcomings).toEqual(['no-delivery-reports'])
  })

  test('a SIM without a service centre is a shortcoming', async () => {
    const driven = new DrivenModem({ 'AT+CSCA?': '+CSCA: "",129' })
    expect((await driven.session()).shortcomings).toEqual(['no-service-centre'])
  })

  test('a service that requires acknowledgements and cannot be changed is accepted', async () => {
    const driven = new DrivenModem({ 'AT+CSMS=*': '+CMS ERROR: 303', 'AT+CSMS?': '+CSMS: 128,1,1,1' })
    expect((await driven.session()).messages.acknowledges).toBe(true)
  })
})
