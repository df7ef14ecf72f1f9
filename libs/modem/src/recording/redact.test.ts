import { addressFromText } from '@smsgw/sms/fields/address'
import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import { segment } from '@smsgw/sms/segmentation/segment'
import { decodeIncoming, encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordedLine } from './dialogue-recorder.ts'
import { redact } from './redact.ts'

const host = (text: string): RecordedLine => ({ from: 'host', text })
const modem = (text: string): RecordedLine => ({ from: 'modem', text })
const redacted = (...lines: RecordedLine[]) => redact([{ name: 'start', lines }])[0]?.lines.map(({ text }) => text)

/** The digits of secrets: all digits except 0, 1 and 9, which occur in replacements. */
const digits = (length: number) =>
  fc.array(fc.integer({ min: 2, max: 8 }), { minLength: length, maxLength: length }).map((all) => all.join(''))

const secrets = fc.record({
  number: digits(12),
  other: digits(11),
  imei: digits(15),
  imsi: digits(15),
  iccid: digits(19),
  pin: digits(4),
  text: fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwyzäöü€🙂ж'), minLength: 8, maxLength: 200 }),
  time: fc.record({ month: fc.integer({ min: 1, max: 12 }), day: fc.integer({ min: 1, max: 28 }) }),
})

type Secrets = typeof secrets extends fc.Arbitrary<infer T> ? T : never

function pdus({ number, other, text, time }: Secrets): { deliver: string[]; submit: string[]; report: string } {
  const { parts, dataCodingScheme } = segment(text, { reference: 7 })
  const centre = addressFromText(`+${other}`)
  const at = { year: 2031, ...time, hour: 11, minute: 22, second: 33, zoneQuarters: 8 }
  const hex = (octets: { octets: Uint8Array }) => hexFromOctets(octets.octets)
  const flags = { moreMessagesToSend: false, loopPrevention: false, replyPath: false }
  return {
    deliver: parts.map((userData) =>
      hex(
        encodeForModem(
          {
            ...{ kind: 'deliver', ...flags, statusReportIndication: false },
            originator: addressFromText(`+${number}`),
            ...{ protocolIdentifier: 0, dataCodingScheme, serviceCentreTimeStamp: at, userData },
          },
          centre,
        ),
      ),
    ),
    submit: parts.map((userData) =>
      hex(
        encodeForModem({
          ...{
            kind: 'submit',
            rejectDuplicates: false,
            replyPath: false,
            statusReportRequest: true,
            messageReference: 0,
          },
          destination: addressFromText(`+${number}`),
          ...{ protocolIdentifier: 0, dataCodingScheme, validityPeriod: undefined, userData },
        }),
      ),
    ),
    report: hex(
      encodeForModem(
        {
          ...{ kind: 'status-report', moreMessagesToSend: false, loopPrevention: false, statusReportQualifier: false },
          ...{ messageReference: 3, recipient: addressFromText(`+${number}`), status: 0 },
          ...{ serviceCentreTimeStamp: at, dischargeTime: at },
        },
        centre,
      ),
    ),
  }
}

const ucs2 = (text: string) =>
  [...text].map((char) => char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')).join('')
const swapped = (hex: string) => hex.replaceAll(/(.)(.)/g, '$2$1')

const fileCommand = 'AT+CRSM=176,12258,0,0,10'

/** A dialogue that contains each secret in each form that modems use. */
function dialogue(known: Secrets): RecordedLine[] {
  const { number, other, imei, imsi, iccid, pin, text } = known
  const { deliver, submit, report } = pdus(known)
  const ascii = text.replaceAll(/[^a-z]/g, '')
  return [
    ...[host('AT+CGSN'), modem(imei), host('ATI'), modem(`IMEI: ${imei}`), modem(`Revision 1.0 ${imei}`), modem('OK')],
    ...[
      host('AT+CIMI'),
      modem(imsi),
      host('AT+CCID'),
      modem(`+CCID: "${iccid}"`),
      host('AT^ICCID?'),
      modem(`^ICCID: ${iccid}F`),
    ],
    ...[host(fileCommand), modem(`+CRSM: 144,0,"${swapped(`${iccid}F`)}"`), modem('OK')],
    ...[host(`AT+CPIN="${pin}"`), host(`AT+CPIN=${pin}`), host(`AT+CLCK="SC",0,"${pin}"`), host(`AT^CPIN="${pin}"`)],
    ...[
      host('AT+CSCA?'),
      modem(`+CSCA: "+${other}",145`),
      host('AT+CNUM'),
      modem(`+CNUM: "${ascii}","+${number}",145`),
    ],
    ...[modem(`+CNUM: "${ucs2(ascii)}","${ucs2(`+${number}`)}",145`), modem(`+CPBR: 1,"${number}",129,"${ascii}"`)],
    ...[modem(`+CLIP: "+${number}",145,"",,"${ascii}",0`), modem(`+CUSD: 0,"Your number is ${number} ${ascii}",15`)],
    ...[
      modem(`+CUSD: 0,"${ucs2(`${number} ${ascii}`)}",72`),
      modem(`+CUSD: 0,${ascii} ${number}`),
      modem(`${ascii} 1 ${number}`),
    ],
    ...[modem('+CMTI: "SM",1'), host('AT+CMGL=4')],
    ...deliver.flatMap((pdu, at) => [modem(`+CMGL: ${at},1,"${ascii}",${pdu.length / 2 - 8}`), modem(pdu)]),
    ...submit.flatMap((pdu, at) => [modem(`+CMGL: ${at},3,,${pdu.length / 2 - 1}`), modem(pdu.toLowerCase())]),
    ...submit.flatMap((pdu) => [
      host(`AT+CMGS=${pdu.length / 2 - 1}`),
      modem('>'),
      host(`${pdu}\x1a`),
      modem('+CMGS: 5'),
    ]),
    ...[modem('+CDS: 25'), modem(report), modem('+CMT: ,25'), modem(`${deliver[0]?.slice(0, -10)}`)],
    ...[
      modem(`+CMT: "+${number}",,"31/01/02,11:22:33+08"`),
      modem(ascii),
      modem(`+CMGR: "REC READ","+${number}"`),
      modem(`${number}`),
    ],
    ...[
      modem('+CREG: 2,1,"5E25","01A2B605",7'),
      modem('+CEREG: 5, 5E25, 605F9911'),
      modem(`unknown ${number}${ascii}`),
    ],
  ]
}

/** Reads a line in every way: as it is, with swapped half octets, and as characters of 16 bits at both offsets. */
function readings(text: string): string[] {
  const hex = text.replaceAll(/[^0-9a-f]/gi, '')
  const wide = [0, 1, 2, 3].map((from) =>
    (hex.slice(from).match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join(''),
  )
  return [text, swapped(hex), swapped(hex.slice(1)), ...wide]
}

const windows = (text: string, size: number) =>
  Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => text.slice(at, at + size))

test('a redacted recording contains no group of digits and no part of a text of the original, even in PDUs and UCS-2', () => {
  fc.assert(
    fc.property(secrets, (known) => {
      const { number, other, imei, imsi, iccid, pin, text } = known
      const output = redact([{ name: 'start', lines: dialogue(known) }]).flatMap(({ lines }) => lines)
      // Skips the command for a SIM file, which is the same in each dialogue. Its digits may occur in a number by
      // chance.
      const varying = output.filter(({ text: line }) => line !== fileCommand)
      const all = varying.flatMap(({ text: line }) => readings(line)).join('\n')
      for (const value of [number, other, imei, imsi, iccid]) {
        for (const group of windows(value, 5)) expect(all.includes(group), `${group} of ${value}`).toBe(false)
      }
      for (const piece of windows(text.replaceAll(/[^a-z]/g, ''), 5)) expect(all.includes(piece), piece).toBe(false)
      for (const { text: line } of output.slice(0, 26)) {
        if (/CPIN|CLCK/.test(line)) expect(line).not.toContain(pin)
      }
      for (const { text: line } of output) {
        if (!/^[0-9A-F]{20,}$/.test(line)) continue
        const { tpdu } = decodeIncoming(octetsFromHex(line))
        if (tpdu.kind === 'deliver') expect(hexFromOctets(tpdu.userData.units)).toMatch(/^(?:78)*(?:0078)*(?:00)*$/)
      }
    }),
    { numRuns: 300 },
  )
})

test('gives the same number the same replacement in a PDU, in plain text and in UCS-2', () => {
  const number = '447700900123'
  const [clip = '', own = '', , pdu = ''] =
    redacted(
      modem(`+CLIP: "+${number}",145`),
      modem(`+CNUM: ,"${ucs2(`+${number}`)}",145`),
      modem('+CMT: ,31'),
      modem('07911326040000F0040C914477000910320000208062917314080CC8F71D14969741F977FD07'),
    ) ?? []
  const made = /\+(\d+)/.exec(clip)?.[1] ?? ''
  expect(made).toMatch(/^999\d{9}$/)
  expect(own).toContain(ucs2(`+${made}`))
  expect(decodeIncoming(octetsFromHex(pdu)).tpdu).toMatchObject({ originator: { value: made } })
})

test('replaces the whole PDU if it cannot be decoded, and corrects the length before it', () => {
  expect(redacted(host('AT+CMGR=1'), modem('+CMGR: 0,,31'), modem('0791FFFF4477009001'), modem('OK'))).toEqual([
    'AT+CMGR=1',
    '+CMGR: 0,,16',
    '0004069199090000004210100000000000',
    'OK',
  ])
})

test('keeps the data that identifies the modem, and the data that the driver reads', () => {
  const kept = [
    ...[host('AT+CGMI'), modem('Quectel'), host('AT+CGMR'), modem('EC25EFAR06A03M4G'), host('AT+CPMS="ME","ME","ME"')],
    ...[
      modem('+CPMS: 0,255,0,255,0,255'),
      modem('OK'),
      host('AT+CLCK="SC",2'),
      modem('+CLCK: 0'),
      modem('+COPS: 0,0,"Vodafone",7'),
    ],
    ...[
      modem('+CME ERROR: 14'),
      modem('+CSQ: 20,99'),
      host('AT+CNMI=2,1,0,2,0'),
      modem('+CMTI: "ME",3'),
      modem('^RSSI:18'),
    ],
    ...[host('AT+CRSM=176,12258,0,0,10'), host('AT+IPR=115200'), modem('+CPIN: SIM PIN')],
  ]
  expect(redacted(...kept)).toEqual(kept.map(({ text }) => text))
})

test('replaces the cell, and keeps the state and the technology', () => {
  expect(
    redacted(
      modem('+CREG: 2,1,"5E25","01A2B605",7'),
      modem('+CREG: 2,1, 5E25, 605F'),
      modem('+CPSI: LTE,Online,262-02,0x5E25,27447553,318'),
    ),
  ).toEqual([
    '+CREG: 2,1,"0001","00000001",7',
    '+CREG: 2,1, 0001, 0001',
    '+CPSI: LTE,Online,001-02,0x0001,00000001,001',
  ])
})

test('replaces a PIN in an echo that follows an unsolicited code', () => {
  const echoes = [modem('AT+CPIN="4821"'), modem('RDYAT+CPIN=4821'), modem('N="4821"'), modem('AT+CLCK="SC",0,"4821"')]
  expect(redacted(host('AT+CPIN="4821"'), modem('RDY'), ...echoes)?.join('\n')).not.toContain('4821')
})

test('replaces each line of a text, also in capitals and with short numbers', () => {
  const lines = [
    ...[modem('+CUSD: 0,"4821 IS YOUR CODE'), modem('DEAR JOHN SMITH: CODE 4821'), modem('4821'), modem('BYE",15')],
    ...[
      modem('+CMT: "+447700900123",,"31/01/02,11:22:33+08"'),
      host('AT+CSQ'),
      modem('CALL JOHN AT 4821'),
      modem('OK'),
    ],
  ]
  const all = redacted(...lines)
  expect(all?.join('\n')).not.toMatch(/4821|YOUR|CODE|DEAR|JOHN|CALL|BYE/)
  expect(all?.at(-1)).toBe('OK')
})

test('keeps lines that all modems send', () => {
  const kept = [modem('RING'), modem('RDY'), modem('NO CARRIER'), modem('Call Ready'), modem('4'), modem('ERROR')]
  expect(redacted(...kept)).toEqual(kept.map(({ text }) => text))
})
