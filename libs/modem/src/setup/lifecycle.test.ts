import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, deliverPdu } from '../testing/driven-modem.ts'
import { readResponseLine } from '../wire/response-line.ts'
import { RestartPace } from './lifecycle.ts'
import { RegistrationWatch } from './registration-watch.ts'

async function started(answers: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  await driven.pass(2000)
  driven.forget()
  return driven
}

const starts = (driven: DrivenModem) => driven.port.commands.filter((command) => command === 'ATE0').length

describe('a line that only a starting modem sends', () => {
  test.each(['RDY', '*ATREADY: 1', '^SYSSTART', '+AT: READY', 'NORMAL POWER DOWN'])(
    '%s starts setup from the beginning',
    async (sign) => {
      const driven = await started()
      driven.port.tell(sign)
      await driven.pass(1000)
      expect(driven.kinds('restarted')).toEqual([{ kind: 'restarted', sign }])
      expect(starts(driven)).toBe(1)
      expect(driven.modem.state.name).toBe('ready')
    },
  )

  test('a line that only a starting modem sends starts setup again if it arrives during setup', async () => {
    const driven = await started({ 'AT+CIMI': ['262011234567890', 'silence', '262011234567890'] })
    driven.port.tell('RDY')
    await driven.pass(100)
    driven.port.tell('RDY')
    await driven.pass(30_000)
    expect(starts(driven)).toBe(2)
    expect(driven.kinds('started')).toHaveLength(1)
  })

  test('a line that only a starting modem sends starts setup again each time it is repeated, and never runs two setups at once', async () => {
    const driven = await started()
    for (let i = 0; i < 20; i += 1) {
      driven.port.tell('RDY')
      await driven.pass(10)
    }
    await driven.pass(5000)
    expect(driven.modem.state.name).toBe('ready')
    expect(driven.kinds('started').length).toBeLessThanOrEqual(20)
  })
})

test.each(['RDY', '+CPIN: NOT READY'])(
  'a modem that sends %s with every answer is not set up endlessly',
  async (sign) => {
    const driven = await started()
    for (const command of ['ATE0', 'AT+CGMI', 'AT+CMGF=0', 'AT+CSQ', 'AT+CPMS=*', 'AT+CREG?']) {
      driven.port.answer(command, `${sign}\nOK`)
    }
    driven.port.tell(sign)
    await driven.pass(600_000)
    expect(starts(driven)).toBeLessThan(30)
  },
)

describe('a line that may have another cause', () => {
  const signs = ['+CPIN: READY', 'SMS DONE', 'SMS Ready', '^SIMST:1', '+CFUN: 1', '+QIND: SMS DONE']

  test.each(signs)('%s causes two questions, and no setup if the settings are intact', async (sign) => {
    const driven = await started()
    driven.port.tell(sign)
    await driven.pass(100)
    expect(driven.port.commands).toEqual(['AT+CMGF?', 'AT+CNMI?'])
    expect(driven.kinds('state')).toEqual([])
  })

  test('a flood of lines that may have another cause causes at most two questions per second', async () => {
    const driven = await started()
    for (let i = 0; i < 500; i += 1) {
      driven.port.tell('^SIMST:1')
      await driven.clock.advance(10)
    }
    await driven.pass(10)
    expect(driven.port.commands.filter((command) => command === 'AT+CMGF?').length).toBeLessThanOrEqual(6)
    expect(driven.kinds('started')).toEqual([])
  })

  test('sets up again when the settings are lost', async () => {
    const driven = await started()
    driven.port.answer('AT+CNMI?', ['+CNMI: 0,0,0,0,0', '+CNMI: 2,1,0,1,0'])
    driven.port.tell('SMS Ready')
    await driven.pass(1000)
    expect(starts(driven)).toBe(1)
    expect(driven.modem.state.name).toBe('ready')
  })

  test('does not repeat setup endlessly if the modem reports its settings in another form', async () => {
    const driven = new DrivenModem({ 'AT+CNMI?': '+CNMI: 3,1,2,1,1' })
    await driven.session()
    await driven.pass(2000)
    driven.forget()
    driven.port.tell('SMS Ready')
    await driven.pass(60_000)
    expect(starts(driven)).toBe(0)
  })
})

describe('a modem that does not answer for minutes', () => {
  test('a modem that does not answer for minutes is set up within five seconds after it answers again, without an event in the meantime', async () => {
    const driven = new DrivenModem({ AT: 'silence' })
    void driven.modem.start()
    await driven.pass(70_000)
    expect(driven.modem.state).toMatchObject({ name: 'blocked', failure: { reason: 'no-answer' } })
    driven.forget()
    await driven.pass(30_000)
    expect(driven.kinds('state')).toEqual([])
    driven.port.answer('AT', 'OK')
    await driven.pass(5_000)
    expect(driven.kinds('started')).toHaveLength(1)
  })
})

describe('the SIM', () => {
  test('the SIM blocks the modem when it is removed; the modem is set up again when it is inserted', async () => {
    const driven = await started()
    driven.port.answer('AT+CPIN?', '+CME ERROR: 10')
    driven.port.tell('+CPIN: NOT READY')
    await driven.pass(20_000)
    expect(driven.modem.state).toMatchObject({ name: 'blocked', failure: { reason: 'no-sim' } })
    expect(await driven.submit()).toEqual({ kind: 'not-sent', why: 'not-ready' })
    driven.port.answer('AT+CPIN?', '+CPIN: READY')
    driven.port.tell('+CPIN: READY')
    await driven.pass(1000)
    expect(driven.modem.state.name).toBe('ready')
  })

  test('a replaced SIM has other messages, so a message in the same slot is reported', async () => {
    const row = `+CMGL: 1,1,,31\n${deliverPdu}`
    const driven = await started({ 'AT+CMGL=4': [row, 'OK', row, 'OK', row, 'OK'] })
    driven.port.tell('+CPIN: NOT INSERTED')
    await driven.pass(1000)
    expect(driven.kinds('incoming')).toEqual([])
    driven.port.answer('AT+CCID', '+CCID: "89490200009876543210"')
    driven.port.tell('+CPIN: NOT INSERTED')
    await driven.pass(1000)
    expect(driven.kinds('incoming')).toHaveLength(1)
  })

  test('a replaced SIM is recognised by its ICCID', async () => {
    const driven = await started()
    driven.port.answer('AT+CCID', '+CCID: "89490200009876543210"')
    driven.port.tell('+CPIN: NOT INSERTED')
    await driven.pass(1000)
    expect(driven.kinds('started')[0]?.session.sim.iccid).toBe('89490200009876543210')
  })
})

describe('a modem that could not be set up', () => {
  test('a modem that could not be set up is set up again after a while', async () => {
    const driven = new DrivenModem({ 'AT+CPIN?': '+CPIN: SIM PUK' })
    await driven.failure()
    driven.port.answer('AT+CPIN?', '+CPIN: READY')
    await driven.pass(61_000)
    expect(driven.modem.state.name).toBe('ready')
  })

  test('a modem that could not be set up is not set up again after it was stopped', async () => {
    const driven = new DrivenModem({ 'AT+CPIN?': '+CPIN: SIM PUK' })
    await driven.failure()
    driven.modem.stop()
    driven.forget()
    await driven.pass(600_000)
    expect(driven.port.commands).toEqual([])
    expect(driven.clock.pending).toBe(0)
    expect(driven.modem.state).toEqual({ name: 'absent', why: 'stopped' })
  })
})

describe('registration', () => {
  test('a registration that is lost and regained is reported from the unsolicited code, without a query', async () => {
    const driven = await started()
    driven.port.tell('+CREG: 2')
    await driven.pass(10)
    expect(driven.modem.state).toEqual({ name: 'degraded', reasons: ['not-registered'] })
    driven.port.tell('+CREG: 5,"5E25","605F",2')
    await driven.pass(10)
    expect(driven.modem.state.name).toBe('ready')
    expect(driven.kinds('registration').map((event) => event.best?.status)).toEqual(['searching', 'roaming'])
  })

  test('a registration for LTE alone is sufficient', async () => {
    const driven = new DrivenModem({
      'AT+CREG?': '+CREG: 2,0',
      'AT+CEREG=*': 'OK',
      'AT+CEREG?': '+CEREG: 2,1,"00C3","1A2D001",7',
    })
    await driven.session()
    expect(driven.modem.state.name).toBe('ready')
    expect(driven.kinds('registration').at(-1)?.best).toMatchObject({ domain: '+CEREG', technology: 'LTE' })
  })

  test.each([
    ['denied', ['+CREG: 3', '+CGREG: 0']],
    ['searching', ['+CREG: 2', '+CGREG: 0', '+CEREG: 4']],
    ['denied', ['+CREG: 2', '+CEREG: 3']],
    ['home', ['+CREG: 1', '+CEREG: 3']],
    ['unknown', ['+CREG: 0', '+CEREG: 4']],
  ])('shows %s for %j', (status, lines) => {
    const watch = new RegistrationWatch(() => undefined)
    for (const line of lines) watch.handle(readResponseLine(line))
    expect(watch.best?.status).toBe(status)
  })

  test('the registration is polled until the modem is registered', async () => {
    const driven = new DrivenModem({ 'AT+CREG?': ['+CREG: 2,2', '+CREG: 2,2', '+CREG: 2,1'] })
    await driven.session()
    expect(driven.modem.state.name).toBe('registering')
    await driven.pass(11_000)
    expect(driven.modem.state.name).toBe('ready')
  })
})

test('the registration of a silent modem is degraded, and ready again after resynchronisation', async () => {
  const driven = await started({ 'AT+COPS?': 'silence' })
  driven.port.answer('AT', 'silence')
  void driven.modem.ask({ text: 'AT+COPS?', timeoutMs: 1000, read: () => true })
  await driven.pass(30_000)
  expect(driven.modem.state).toEqual({ name: 'degraded', reasons: ['not-answering'] })
  driven.port.answer('AT', 'OK')
  expect(await driven.passing(driven.modem.resynchronise())).toMatchObject({ kind: 'in-step' })
  expect(driven.modem.state.name).toBe('ready')
})

describe('recovery', () => {
  test('recovery restarts the radio and sets the modem up again', async () => {
    const driven = await started({ 'AT+CFUN=4': 'ERROR', 'AT+CFUN=0': 'OK', 'AT+CFUN=1': 'OK' })
    expect((await driven.passing(driven.modem.restartRadio())).kind).toBe('started')
    expect(driven.port.commands.slice(0, 3)).toEqual(['AT+CFUN=4', 'AT+CFUN=0', 'AT+CFUN=1'])
  })

  test('recovery resets with the first command that is not refused', async () => {
    const driven = await started({ ATZ: 'OK' })
    await driven.modem.reset()
    expect(driven.port.commands).toEqual(['AT+CFUN=1,1', 'ATZ'])
  })
})

describe('the pace of restarts', () => {
  test('sets the modem up at once after three restarts in a row, then after longer and longer pauses up to a minute', () => {
    const pace = new RestartPace()
    let nowMs = 0
    const pauses = Array.from({ length: 12 }, () => {
      const pauseMs = pace.pauseMs(nowMs)
      nowMs += pauseMs + 100
      return pauseMs
    })
    expect(pauses).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  test('sets the modem up at once again if it has not restarted for a minute', () => {
    const pace = new RestartPace()
    for (let restart = 0; restart < 10; restart += 1) pace.pauseMs(restart)
    expect(pace.pauseMs(200_000)).toBe(0)
  })

  test('always sets the modem up at once when there are ten minutes between restarts', () => {
    const pace = new RestartPace()
    const pauses = Array.from({ length: 100 }, (_, restart) => pace.pauseMs(restart * 600_000))
    expect(new Set(pauses)).toEqual(new Set([0]))
  })
})
