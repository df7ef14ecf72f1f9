import { expect, test } from 'vitest'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const pdu = '0031000C914477000999990000A70AE8329BFD4697D9EC37'

function submit(faults: object, options: object = {}) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults, ...options })
  host.say('AT+CNMI=2,1,0,1\r')
  const send = () => {
    host.say('AT+CMGS=23\r')
    return host.say(`${pdu}\x1a`)
  }
  const sendAndWait = () => send() + host.wait(0)
  return { ...world, host, send, sendAndWait, answer: send() }
}

test.each([15_000, 45_000, 119_000])('submit-slow: sends the message at once and answers after %d ms', (delayMs) => {
  const { host, ledger, answer } = submit({ 'submit-slow': { delayMs } })
  expect(answer).toBe('')
  expect(ledger).toHaveLength(1)
  expect(host.wait(delayMs - 1)).not.toContain('+CMGS')
  expect(host.wait(1)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
})

test('submit-answer-lost: sends the message without an answer', () => {
  const { host, ledger, answer, send } = submit({ 'submit-answer-lost': { times: 1 } })
  expect(answer).toBe('')
  expect(host.wait(120_000)).not.toContain('+CMGS')
  expect(ledger).toHaveLength(1)
  expect(host.say('AT\r')).toBe('\r\nOK\r\n')
  expect(send()).toContain('+CMGS: 1')
})

test('submit-answer-lost, all: false: answers with the reference, but without OK', () => {
  const { answer, ledger } = submit({ 'submit-answer-lost': { all: false } })
  expect(answer).toBe('\r\n+CMGS: 0\r\n')
  expect(ledger).toHaveLength(1)
})

test.each([true, false])(
  'submit-hang: sends the message, then ignores the host for a while (answered: %s)',
  (answered) => {
    const { host, modem, ledger, answer, send } = hanging({ forMs: 20_000, answered, times: 1 })
    expect(answer).toBe('')
    expect(ledger).toHaveLength(1)
    modem.say('RING')
    expect(host.say('AT\r')).toBe('')
    expect(host.wait(19_999)).toBe('')
    expect(host.wait(1)).toMatch(answered ? /^\r\n\+CMGS: 0\r\n\r\nOK\r\n\r\nRING/ : /^\r\nRING/)
    expect(host.say('AT\r')).toBe('\r\nOK\r\n')
    expect(send()).toContain('+CMGS: 1')
  },
)

function hanging(options: object) {
  const world = submit({ 'submit-hang': options })
  return { ...world, modem: world.host.modem }
}

test.each([
  [{}, '\r\n+CMS ERROR: 515\r\n'],
  [{ code: -1 }, '\r\nERROR\r\n'],
  [{ refused: false }, ''],
])('busy-while-sending %j: refuses a command during a SUBMIT', (options, reply) => {
  const { host } = submit({ 'submit-slow': { delayMs: 15_000, times: 1 }, 'busy-while-sending': options })
  expect(host.modem.sending).toBe(true)
  expect(host.say('AT+CMEE?\r')).toBe(reply)
  expect(host.wait(15_000)).toContain('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(host.modem.sending).toBe(false)
  expect(host.say('AT\r')).toBe('\r\nOK\r\n')
})

test.each([
  [{}, '\r\nERROR\r\n'],
  [{ code: 515 }, '\r\n+CMS ERROR: 515\r\n'],
  [{ code: 0 }, '\r\nOK\r\n'],
])('abort-while-sending %j: a byte ends a SUBMIT, whose reference is never sent', (options, reply) => {
  const { host } = submit({ 'submit-slow': { delayMs: 15_000, times: 1 }, 'abort-while-sending': options })
  expect(host.say('AT+CMEE?\r')).toBe(reply)
  expect(host.modem.sending).toBe(false)
  expect(host.say('AT+CMEE?\r')).toContain('+CMEE')
  expect(host.wait(60_000)).not.toContain('+CMGS')
})

test('answers-while-sending: answers queries, but refuses a second SUBMIT', () => {
  const { host } = submit({ 'submit-slow': { delayMs: 15_000, times: 1 }, 'answers-while-sending': {} })
  expect(host.say('AT\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CSCS?\r')).toMatch(/^\r\n\+CSCS: "\w+"\r\n\r\nOK\r\n$/)
  expect(host.say('AT+CMGS=23\r')).toBe('\r\n+CMS ERROR: 515\r\n')
  expect(host.wait(15_000)).toContain('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(host.say('AT+CMGS=23\r')).toContain('> ')
})

test.each([
  [false, '\r\nOK\r\n\r\n+CMGS: 0\r\n'],
  [true, '\r\nOK\r\n'],
])('submit-reference-late: sends OK, then the reference (never: %s)', (never, reply) => {
  const { answer, host, ledger } = submit({ 'submit-reference-late': { never } })
  const said = (answer + host.wait(0)).replace(/\r\n\+CDS: 25\r\n[0-9A-F]+\r\n/, '')
  expect(said).toBe(reply)
  expect(ledger).toHaveLength(1)
})

test('submit-error: answers with one of the codes and does not send', () => {
  const { sendAndWait, ledger, host } = submit({ 'submit-error': { codes: '38,42,500' } })
  host.wait(0)
  const codes = new Set(
    Array.from({ length: 40 }, () => Number(/^\r\n\+CMS ERROR: (\d+)\r\n$/.exec(sendAndWait())?.[1])),
  )
  expect([...codes].sort()).toEqual([38, 42, 500])
  expect(ledger).toEqual([])
})

test('submit-error, accepted: answers with an error but sends the message', () => {
  const { answer, ledger } = submit({ 'submit-error': { codes: '513', accepted: true } })
  expect(answer).toBe('\r\n+CMS ERROR: 513\r\n')
  expect(ledger).toHaveLength(1)
})

test('submit-error: occurs several times in a row with the option times', () => {
  const { host, sendAndWait } = submit({ 'submit-error': { codes: '42', times: 3 } })
  expect([host.wait(0), sendAndWait(), sendAndWait(), sendAndWait()].map((reply) => reply.includes('ERROR'))).toEqual([
    true,
    true,
    true,
    false,
  ])
})

test.each([true, false])('submit-port-drop: loses the port after Ctrl-Z (accepted: %s)', (accepted) => {
  const { host, ledger, answer } = submit({ 'submit-port-drop': { accepted, forMs: 2000, times: 1 } })
  expect(answer).toBe('')
  expect(host.ports).toEqual(['lost'])
  expect(ledger).toHaveLength(accepted ? 1 : 0)
  host.wait(2000)
  expect(host.ports).toEqual(['lost', 'back'])
  expect(host.say('AT+CNMI?\r')).toContain('+CNMI: 2,1,0,1,0')
})

test.each([true, false])(
  'submit-reboot: the modem restarts after Ctrl-Z and loses its settings (accepted: %s)',
  (accepted) => {
    const { host, ledger, answer } = submit({ 'submit-reboot': { accepted, times: 1 } }, { personality: quectelEc25 })
    expect(answer).toBe('')
    expect(ledger).toHaveLength(accepted ? 1 : 0)
    expect(host.wait(60_000)).toContain('RDY')
    host.say('ATE0\r')
    expect(host.say('AT+CNMI?\r')).toContain('+CNMI: 2,1,0,0,0')
  },
)

test('report-before-answer: sends +CDS, then +CMGS', () => {
  const { host, answer } = submit({ 'report-before-answer': {} })
  expect(answer).toBe('')
  expect(host.wait(0)).toMatch(/^\r\n\+CDS: 25\r\n[0-9A-F]+\r\n\r\n\+CMGS: 0\r\n\r\nOK\r\n$/)
})

test('report-before-answer: sends the answer even if no report arrives', () => {
  const { host, network, send } = submit({ 'report-before-answer': { skip: 1 } })
  host.wait(0)
  network.setDeliveryPolicy('', { outcome: 'silent' })
  expect(send()).toBe('')
  expect(host.wait(5000)).toBe('\r\n+CMGS: 1\r\n\r\nOK\r\n')
})

test('csmp-clears-service-centre: has no service centre after AT+CSMP=', () => {
  const { host, send } = submit({ 'csmp-clears-service-centre': {} })
  host.say('AT+CSMP=17,167,0,0\r')
  expect(host.say('AT+CSCA?\r')).toBe('\r\n+CSCA: "",129\r\n\r\nOK\r\n')
  expect(send()).toBe('\r\n+CMS ERROR: 330\r\n')
})
