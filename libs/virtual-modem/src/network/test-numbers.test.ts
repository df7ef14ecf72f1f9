import { addressFromText } from '@smsgw/sms/fields/address'
import { hexFromOctets } from '@smsgw/sms/octets'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'
import { testNumbers } from './test-numbers.ts'

function world() {
  const network = emulatedNetwork()
  const host = new EmulatedHost(network)
  host.say('AT+CMGF=1;+CNMI=2,1,0,1;+CSMP=49,167,0,0;+CMEE=1\r')
  const send = (to: string, text = 'Hi') => {
    host.say(`AT+CMGS="${to}"\r`)
    return host.say(`${text}\x1a`) + host.wait(0)
  }
  return { ...network, host, send }
}

test('lists each number once', () => {
  const numbers = testNumbers.map(({ number }) => number)
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const number of numbers) expect(number).toMatch(/^\+120255501\d\d$/)
})

test.each([
  ['+12025550110', 1],
  ['+12025550111', 21],
])('refuses %s with CMS %i each time', (number, code) => {
  const { send, ledger } = world()
  expect([send(number), send(number)]).toEqual(Array(2).fill(`\r\n+CMS ERROR: ${code}\r\n`))
  expect(ledger).toEqual([])
})

test('+12025550112 refuses each text once', () => {
  const { send, ledger } = world()
  const refused = '\r\n+CMS ERROR: 42\r\n'
  expect(send('+12025550112', 'A')).toBe(refused)
  expect(send('+12025550112', 'B')).toBe(refused)
  expect(send('+12025550112', 'A')).toContain('OK')
  expect(send('+12025550112', 'A')).toBe(refused)
  expect(ledger.map(({ text }) => text)).toEqual(['A'])
})

test('accepts +12025550113 after ten seconds', () => {
  const { send, host } = world()
  expect(send('+12025550113')).toBe('')
  expect(host.wait(9_999)).toBe('')
  expect(host.wait(1)).toContain('+CMGS: 0')
})

test.each([
  ['+12025550114', 15_000, ['0']],
  ['+12025550115', 600_000, []],
  ['+12025550116', 0, ['67']],
  ['+12025550117', 0, ['70']],
  ['+12025550118', 5_001, ['33', '0']],
])('reports %s within %i ms as %j', (number, ms, statuses) => {
  const { send, host } = world()
  const heard = send(number)
  expect(heard).toContain('OK')
  const reports = `${heard}${host.wait(ms)}`.matchAll(/\+CDS: .*,(\d+)\r\n/g)
  expect([...reports].map(([, status]) => status)).toEqual(statuses)
})

test.each([
  ['+12025550119', 0],
  ['+12025550120', 1],
])('%s accepts the message, answers with CMS 500 and sends %i reports', (number, reports) => {
  const { send, host, ledger } = world()
  expect(send(number)).toBe('\r\n+CMS ERROR: 500\r\n')
  expect(ledger).toHaveLength(1)
  expect([...host.wait(60_000).matchAll(/\+CDS/g)]).toHaveLength(reports)
})

test('+12025550121 replies with the text, and only once for a long message', () => {
  const { host, events, send } = world()
  send('+12025550121', 'Anybody?')
  host.wait(1_000)
  const replies = () => events.flatMap((event) => (event.kind === 'replied' ? [event.text] : []))
  expect(replies()).toEqual(['Anybody?'])
  const text = 'x'.repeat(400)
  for (const pdu of submitsOf(text)) {
    host.say('AT+CMGF=0\r')
    host.say(`AT+CMGS=${pdu.length / 2 - 1}\r`)
    host.say(`${pdu}\x1a`)
  }
  host.wait(1_000)
  expect(replies()).toEqual(['Anybody?', text])
})

function submitsOf(text: string): string[] {
  const { parts, dataCodingScheme } = segment(text, { reference: 7 })
  return parts.map((userData) =>
    hexFromOctets(
      encodeForModem({
        kind: 'submit',
        rejectDuplicates: false,
        replyPath: false,
        statusReportRequest: false,
        messageReference: 0,
        destination: addressFromText('+12025550121'),
        protocolIdentifier: 0,
        dataCodingScheme,
        validityPeriod: undefined,
        userData,
      }).octets,
    ),
  )
}

test('+12025550122 replies STOP', () => {
  const { host, send, events } = world()
  send('+12025550122', 'Offers today')
  expect(host.wait(1_000)).toContain('+CMTI')
  expect(events.filter(({ kind }) => kind === 'replied')).toMatchObject([{ from: '+12025550122', text: 'STOP' }])
})

test('prefers a rule for the number over the test number', () => {
  const { send, network } = world()
  network.setDeliveryPolicy('+12025550111', { outcome: 'delivered' })
  expect(send('+12025550111')).toContain('OK')
  network.clearDeliveryPolicy()
  expect(send('+12025550111')).toContain('+CMS ERROR: 21')
})
