import { parse, Submit } from 'node-pdu'
import { addressFromText } from '../src/fields/address.ts'
import { textOfUserData } from '../src/fields/user-data.ts'
import { hexFromOctets, octetsFromHex } from '../src/octets.ts'
import { segment } from '../src/segmentation/segment.ts'
import { decodeIncoming, encodeForModem } from '../src/tpdu/tpdu.ts'

/**
 * Measures messages per second of processor time, from text to hexadecimal digits and back, and compares this package
 * with the npm package `node-pdu` in the same run. Rounds of the two packages alternate, and processor time is
 * measured, to reduce the effect of other programs.
 */
interface Row {
  readonly name: string
  readonly ours: () => string
  readonly theirs: () => string
}

const rounds = 9
const roundMs = 150
const recipient = '+447700900123'

const sentence = 'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00 (reply STOP to opt out). '
const russian = 'Ваша посылка прибудет завтра между 10:00 и 12:00. '
const gsm7Single = sentence.repeat(2).slice(0, 140)
const ucs2Single = russian.repeat(2).slice(0, 66)
// node-pdu puts fewer units into a part, but texts of these lengths result in eight parts with both packages.
const gsm7Long = sentence.repeat(20).slice(0, 1072)
const ucs2Long = russian.repeat(20).slice(0, 8 * 60)

const rows: readonly Row[] = [
  encodeRow('encode, GSM-7, one part', gsm7Single),
  encodeRow('encode, UCS-2, one part', ucs2Single),
  encodeRow('encode, GSM-7, 8 parts', gsm7Long),
  encodeRow('encode, UCS-2, 8 parts', ucs2Long),
  decodeRow('decode, GSM-7, one part', gsm7Single),
  decodeRow('decode, UCS-2, one part', ucs2Single),
  decodeRow('decode, GSM-7, 8 parts', gsm7Long),
  decodeRow('decode, UCS-2, 8 parts', ucs2Long),
]

print(`${'messages per second'.padEnd(26)}${'ours'.padStart(12)}${'node-pdu'.padStart(12)}${'ratio'.padStart(9)}`)
for (const row of rows) {
  // Warm up before measuring.
  perSecond(row.ours)
  perSecond(row.theirs)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(perSecond(row.ours))
    theirs.push(perSecond(row.theirs))
  }
  const ratio = median(ours) / median(theirs)
  const numbers = [Math.round(median(ours)), Math.round(median(theirs))].map((value) => String(value).padStart(12))
  print(`${row.name.padEnd(26)}${numbers.join('')}${ratio.toFixed(2).padStart(9)}${ratio < 1 ? '  slower' : ''}`)
}

function encodeRow(name: string, text: string): Row {
  return {
    name,
    ours: () => submitHex(text).join(' '),
    theirs: () => new Submit(recipient, text).getPartStrings().join(' '),
  }
}

function decodeRow(name: string, text: string): Row {
  const pdus = deliverHex(text)
  const row = {
    name,
    ours: () => pdus.map((pdu) => textOfUserData(userDataOf(pdu)) ?? '').join(''),
    theirs: () => pdus.map((pdu) => textByNodePdu(pdu)).join(''),
  }
  if (row.ours() !== text) throw new Error(`${name}: the decoded text differs from the original`)
  return row
}

function submitHex(text: string): readonly string[] {
  const { parts, dataCodingScheme } = segment(text, { reference: 1 })
  const destination = addressFromText(recipient)
  return parts.map((userData) => {
    const { octets } = encodeForModem({
      kind: 'submit',
      rejectDuplicates: false,
      replyPath: false,
      statusReportRequest: false,
      messageReference: 0,
      destination,
      protocolIdentifier: 0,
      dataCodingScheme,
      validityPeriod: undefined,
      userData,
    })
    return hexFromOctets(octets)
  })
}

function deliverHex(text: string): readonly string[] {
  const { parts, dataCodingScheme } = segment(text, { reference: 1 })
  return parts.map((userData) => {
    const { octets } = encodeForModem({
      kind: 'deliver',
      moreMessagesToSend: false,
      loopPrevention: false,
      replyPath: false,
      statusReportIndication: false,
      originator: addressFromText(recipient),
      protocolIdentifier: 0,
      dataCodingScheme,
      serviceCentreTimeStamp: { year: 2026, month: 3, day: 1, hour: 15, minute: 46, second: 11, zoneQuarters: 8 },
      userData,
    })
    return hexFromOctets(octets)
  })
}

function userDataOf(pdu: string) {
  const { tpdu } = decodeIncoming(octetsFromHex(pdu))
  if (tpdu.userData === undefined) throw new Error('a message without user data')
  return tpdu.userData
}

function textByNodePdu(pdu: string): string {
  const parsed = parse(pdu)
  return 'data' in parsed ? parsed.data.getText() : ''
}

function perSecond(run: () => string): number {
  let runs = 0
  const start = process.cpuUsage()
  let usedMs = 0
  do {
    for (let index = 0; index < 20; index++) run()
    runs += 20
    const { user, system } = process.cpuUsage(start)
    usedMs = (user + system) / 1000
  } while (usedMs < roundMs)
  return (runs / usedMs) * 1000
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
