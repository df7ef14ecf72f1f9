import { describe, expect, test } from 'vitest'
import { Dialogue } from '../dialogue/dialogue.ts'
import { answerTo, valueFrom } from '../testing/answer-to.ts'
import { DescribedModem } from '../testing/described-modem.ts'
import { ManualClock } from '../testing/manual-clock.ts'
import { readResponseLine } from '../wire/response-line.ts'
import { indications, offeredMessageIndications } from './messages/message-indications.ts'
import { readMemoryUsage, readOfferedMemories, selectMemories } from './messages/message-storage.ts'
import { readServiceCentre } from './messages/service-centre.ts'
import { listStoredMessages, readMessage } from './messages/stored-messages.ts'
import { type RegistrationDomain, readRegistration, registrationIn } from './network/registration.ts'
import { runQuery } from './query.ts'
import { readOwnNumbers } from './sim/sim-identity.ts'
import { pinStateOf, readPinState, readPinStateWithoutFinalResult } from './sim/sim-pin.ts'

// Answers recorded from real modems, each read through the tokenizer and a dialogue.

const pdu = '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07'

describe('registration answers', () => {
  const read = (answer: string, domain: RegistrationDomain = '+CREG') => valueFrom(readRegistration(domain), answer)

  test('reads hexadecimal values without quotes: 2,1,4CA,81DE445', async () => {
    expect(await read('+CREG: 2,1,4CA,81DE445')).toMatchObject({ status: 'home', area: 0x4ca, cell: 0x81de445 })
  })
  test('reads values in quotes with the technology: 0,1,"5E25","605F",2', async () => {
    const registration = await read('+CREG: 0,1,"5E25","605F",2')
    expect(registration).toMatchObject({ stat: 1, area: 0x5e25, cell: 0x605f, technology: 'UMTS' })
  })
  test('reads a truncated answer: 2,1,"5E25', async () => {
    expect(await read('+CREG: 2,1,"5E25')).toMatchObject({ status: 'home', area: 0x5e25, cell: undefined })
  })
  test('reads quotes without a counterpart: 2,1,"0B,"0100701",7', async () => {
    expect(await read('+CREG: 2,1,"0B,"0100701",7')).toMatchObject({ stat: 1, cell: 0x100701, technology: 'LTE' })
  })
  test('reads padded numbers: 000,001', async () => {
    expect(await read('+CREG: 000,001')).toMatchObject({ stat: 1, status: 'home' })
  })
  test.each([
    [1, 'home'],
    [5, 'roaming'],
    [6, 'home-sms-only'],
    [7, 'roaming-sms-only'],
    [2, 'searching'],
    [3, 'denied'],
    [8, 'emergency-only'],
    [11, 'emergency-only'],
  ])('state %i is %s', async (stat, status) => {
    expect(await read(`+CREG: 0,${stat}`)).toMatchObject({ stat, status })
  })
  test.each([
    ['+CREG: 1', { stat: 1, area: undefined }],
    ['+CREG: 1,"5E25","605F",2', { stat: 1, area: 0x5e25, cell: 0x605f }],
    ['+CREG: 5,4CA,81DE445', { stat: 5, area: 0x4ca, cell: 0x81de445 }],
    ['+CREG: 5,1234,5678', { stat: 5, area: 0x1234, cell: 0x5678 }],
    ['+CREG: 2', { stat: 2, status: 'searching' }],
  ])('reads an unsolicited code, which lacks the first value: %s', (line, registration) => {
    expect(registrationIn(readResponseLine(line))).toMatchObject(registration)
  })
  test('reads LTE and 5G registration', async () => {
    expect(await read('+CEREG: 2,1,"00C3","01A2D001",7', '+CEREG')).toMatchObject({
      technology: 'LTE',
      cell: 0x1a2d001,
    })
    expect(await read('+C5GREG: 2,5,"0000C3","01A2D00100",11', '+C5GREG')).toMatchObject({
      status: 'roaming',
      technology: '5G',
    })
  })
})

describe('+CSCA', () => {
  const read = (answer: string) => valueFrom(readServiceCentre, answer)

  test.each([
    ['UCS-2 without quotes', '+CSCA: 002B0039003100360030,145', '+91 60'],
    ['UCS-2 in quotes', '+CSCA: "002B0039003100360030",145', '+91 60'],
    ['the usual form', '+CSCA: "+6281100000",145', '+6281100000'],
    ['145 without the plus', '+CSCA: "6281100000",145', '+6281100000'],
    ['a national number', '+CSCA: "0811000",129', '0811000'],
  ])('%s', async (_shape, answer, number) => {
    expect(await read(answer)).toMatchObject({ number: number.replaceAll(' ', '') })
  })
  test('+CSCA: reads an empty service centre', async () => {
    expect(await read('+CSCA: "",129')).toBe('none')
  })
})

describe('+CPMS', () => {
  const offered = (body: string) => valueFrom(readOfferedMemories, `+CPMS: ${body}`)

  test('+CPMS: reads three lists', async () => {
    expect(await offered('("SM","ME"),("SM","ME"),("SM")')).toEqual({
      read: ['SM', 'ME'],
      write: ['SM', 'ME'],
      receive: ['SM'],
    })
  })
  test('+CPMS: applies one list without parentheses to all three: "ME","MT","SM"', async () => {
    expect(await offered('"ME","MT","SM"')).toMatchObject({ read: ['ME', 'MT', 'SM'], receive: ['ME', 'MT', 'SM'] })
  })
  test('+CPMS: reads lists inside an extra pair of parentheses: (("SM","BM","SR"),("SM"))', async () => {
    expect(await offered('(("SM","BM","SR"),("SM"))')).toMatchObject({ read: ['SM', 'BM', 'SR'], receive: ['SM'] })
  })
  test('+CPMS: reads that the modem has no memory: (),(),()', async () => {
    expect(await offered('(),(),()')).toEqual({ read: [], write: [], receive: [] })
  })
  test('+CPMS: reads a list with a missing quote: (ME", "SR"),("SM")', async () => {
    expect(await offered('(ME", "SR"),("SM"),("SM")')).toMatchObject({ read: ['ME', 'SR'], receive: ['SM'] })
  })
  test('+CPMS: reads an empty body', async () => {
    expect(await offered('')).toEqual({ read: [], write: [], receive: [] })
  })
  test('+CPMS: reads the usage from the answer to a selection, which contains no memory: 0,30,0,30,8,330', async () => {
    expect(await valueFrom(selectMemories('SM'), '+CPMS: 0,30,0,30,8,330')).toEqual([
      { memory: undefined, used: 0, total: 30 },
      { memory: undefined, used: 0, total: 30 },
      { memory: undefined, used: 8, total: 330 },
    ])
  })
  test('+CPMS: reads the memories named in the answer to a read command', async () => {
    expect(await valueFrom(readMemoryUsage, '+CPMS: "SM",3,30,"ME",0,255,"SM",3,30')).toEqual([
      { memory: 'SM', used: 3, total: 30 },
      { memory: 'ME', used: 0, total: 255 },
      { memory: 'SM', used: 3, total: 30 },
    ])
  })
  test('+CPMS: selects the memory if the answer is only OK, without reading the usage', async () => {
    expect(await valueFrom(selectMemories('SM'), 'OK')).toEqual([])
  })
})

describe('+CNMI=?', () => {
  test.each([
    ['the usual form', '+CNMI: (2),(0-1,3),(0,2),(0-1),(0)', true, false],
    ['without a blank', '+CNMI:(0-3),(0-3),(0,2),(0-2),(0,1)', true, true],
    ['lists that are missing allow anything', '+CNMI: (0-2)', true, true],
  ])('%s', async (_shape, answer, straight, stored) => {
    const offers = await valueFrom(offeredMessageIndications, answer)
    expect([offers(indications(2, 1, 1)), offers(indications(2, 1, 2))]).toEqual([straight, stored])
  })
})

test('reads a PDU in quotes, or with only one quote', async () => {
  expect(await valueFrom(readMessage(3), `+CMGR: 1,,31\n"${pdu}"`)).toMatchObject({ pdu })
  expect(await valueFrom(readMessage(3), `+CMGR: 1,,31\n${pdu}"`)).toMatchObject({ pdu })
})

describe('+CMGR and +CMGL', () => {
  test.each([
    ['the usual form', '0,,31', 0],
    ['no status', ',,92', undefined],
    ['the length alone', '24', undefined],
    ['four values', '2,2,,174', 2],
    ['a name from the phonebook', '1,"Bob, his phone",31', 1],
  ])('%s: %s', async (_shape, body, stat) => {
    expect(await valueFrom(readMessage(3), `+CMGR: ${body}\n${pdu}`)).toEqual({ index: 3, stat, pdu })
  })
  test.each([
    ['no line at all', 'OK'],
    ['length 0', '+CMGR: 0,,0'],
    ['PDU 00', '+CMGR: 0,,0\n00'],
    ['a PDU of nothing but FF', `+CMGR: 0,,31\n${'FF'.repeat(31)}`],
  ])('reads an empty slot: %s', async (_shape, answer) => {
    expect(await valueFrom(readMessage(3), answer)).toBe('empty')
  })
  test('does not read a row inside a text-mode message as a message', async () => {
    const text = `+CMGR: "REC UNREAD","+447700900123",,"24/01/01,10:00:00+00"\nhi\n+CMGR: 1,,31\n${pdu}`
    expect((await answerTo(readMessage(3), text)).kind).toBe('unreadable')
  })
  test('reads a list with a missing line break before the next row', async () => {
    const rows = `+CMGL: 1,1,,31\n${pdu}+CMGL: 2,0,,31\n${pdu}`
    expect((await valueFrom(listStoredMessages, rows)).map((message) => message.index)).toEqual([1, 2])
  })
  test('omits empty slots', async () => {
    const rows = `+CMGL: 0,1,,0\n00\n+CMGL: 1,,,31\n${pdu}\n+CMGL: 2,1,,31\n${'FF'.repeat(31)}`
    expect(await valueFrom(listStoredMessages, rows)).toEqual([{ index: 1, stat: undefined, pdu }])
  })
  test('tolerates extra blank lines and lines that end in \\r\\r\\n (E1752)', async () => {
    const raw = `raw:\r\r\n\r\r\n+CMGL: 1,1,,31\r\r\n\r\r\n${pdu}\r\r\n\r\r\n\r\r\nOK\r\r\n`
    expect(await valueFrom(listStoredMessages, raw)).toEqual([{ index: 1, stat: 1, pdu }])
  })
  test('returns the rows that arrived before the modem stopped answering', async () => {
    const outcome = await answerTo(listStoredMessages, `raw:\r\n+CMGL: 1,1,,31\r\n${pdu}\r\n`)
    expect(outcome).toMatchObject({ kind: 'unanswered', partial: [{ index: 1 }] })
  })
})

describe('+CPIN', () => {
  test.each([
    ['with quotes', '+CPIN: "SIM PIN"', 'pin'],
    ['without a blank', '+CPIN:READY', 'ready'],
    ['without a colon', '+CPIN READY', 'ready'],
    ['as an error with its number', '+CME ERROR: 11', 'pin'],
    ['as an error in words', '+CME ERROR: SIM PIN required', 'pin'],
    ['no SIM', '+CME ERROR: 10', 'no-sim'],
    ['no SIM, in words', '+CME ERROR: SIM not inserted', 'no-sim'],
    ['PUK', '+CME ERROR: 12', 'puk'],
    ['SIM failure', '+CME ERROR: 13', 'sim-failure'],
    ['busy', '+CME ERROR: 14', 'busy'],
    ['busy, as a message error', '+CMS ERROR: 314', 'busy'],
    ['blocked', '+CME ERROR: 262', 'puk'],
    ['locked to a network', '+CPIN: PH-NET PIN', 'modem-locked'],
  ])('%s', async (_shape, answer, state) => {
    expect(pinStateOf(await answerTo(readPinState, answer))).toBe(state)
  })
  test('+CPIN: reads the state without OK (Wavecom)', async () => {
    expect(await valueFrom(readPinStateWithoutFinalResult, 'raw:\r\n+CPIN: SIM PIN\r\n')).toBe('pin')
  })
})

describe('any answer', () => {
  test('ignores a repeated echo', async () => {
    expect(await valueFrom(readPinState, 'raw:AT+CPIN?\r\r\nAT+CPIN?\r\r\n+CPIN: READY\r\n\r\nOK\r\n')).toBe('ready')
  })
  test('ignores a leading NUL', async () => {
    expect(await valueFrom(readPinState, 'raw:\0\r\n\0+CPIN: READY\r\n\r\nOK\r\n')).toBe('ready')
  })
  test('reads a line whose plus sign is on a line of its own: \\r+\\n', async () => {
    expect(await valueFrom(readPinState, 'raw:\r+\n\r\n+CPIN: READY\r\n\r\nOK\r\n')).toBe('ready')
  })
  test('reads +CMS ERROR as text', async () => {
    expect(await answerTo(readMessage(1), '+CMS ERROR: Unknown error')).toMatchObject({
      kind: 'refused',
      error: { code: 500 },
    })
  })
  test('reads numeric results (ATV0)', async () => {
    const port = new DescribedModem({ AT: 'raw:0\r', 'AT+CMEE?': 'raw:+CMEE: 1\r\n0\r', ATE0: 'raw:0\r' })
    port.answer('AT+CPIN?', 'raw:+CPIN: READY\r\n0\r')
    const dialogue = new Dialogue({ port, clock: new ManualClock(), onEvent: () => undefined })
    expect(await runQuery(dialogue, readPinState)).toEqual({ kind: 'value', value: 'ready' })
  })
})

describe('+CNUM', () => {
  test.each([
    ['an empty name', '+CNUM: "","15551234567",145', [{ number: '+15551234567', name: '' }]],
    ['no name at all', '+CNUM: ,"+15551234567",145', [{ number: '+15551234567', name: '' }]],
    ['a name without quotes', '+CNUM: Line 1,"15551234567",129', [{ number: '15551234567', name: 'Line 1' }]],
    ['a national number', '+CNUM: "Line","5551234567",161', [{ number: '5551234567', name: 'Line' }]],
    ['a number without quotes', '+CNUM: ,15551234567,145', [{ number: '+15551234567', name: '' }]],
    ['nothing written on the SIM', '+CNUM: "","",129', []],
    ['more digits than a number has', `+CNUM: "","${'5'.repeat(2000)}",129`, []],
  ])('%s', async (_shape, answer, numbers) => {
    expect(await valueFrom(readOwnNumbers, answer)).toEqual(numbers)
  })
  test('+CNUM: reads several rows, some of them empty', async () => {
    const rows = '+CNUM: "Voice","+15551",145\n+CNUM: "Fax","",129\n+CNUM: "Data","15553",145'
    expect((await valueFrom(readOwnNumbers, rows)).map((own) => own.number)).toEqual(['+15551', '+15553'])
  })
})
