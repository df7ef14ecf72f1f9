import { describe, expect, it } from 'vitest'
import { readVectorFiles, type Vector } from '../fuzz/read-vectors.ts'
import {
  type Address,
  decodeAddress,
  decodeServiceCentreAddress,
  encodeAddress,
  encodeServiceCentreAddress,
  textFromAddress,
} from './fields/address.ts'
import { decodeDataCodingScheme } from './fields/data-coding-scheme.ts'
import { decodeProtocolIdentifier } from './fields/protocol-identifier.ts'
import { statusFromOctet } from './fields/status.ts'
import {
  decodeTimeStamp,
  encodeTimeStamp,
  epochMsFromTimeStamp,
  type InvalidTimeStamp,
  isoFromTimeStamp,
  isValidTimeStamp,
  type TimeStamp,
  timeStampFromEpochMs,
} from './fields/time-stamp.ts'
import { textOfUserData, type UserData } from './fields/user-data.ts'
import {
  concatenationOf,
  decodeUserDataHeader,
  encodeUserDataHeader,
  nationalLanguagesOf,
  portsOf,
  type UserDataHeader,
} from './fields/user-data-header.ts'
import { relativeFromSeconds, secondsFromRelative, type ValidityPeriod } from './fields/validity-period.ts'
import { hexFromOctets, OctetReader, octetsFromHex } from './octets.ts'
import { PduDecodeError, PduEncodeError } from './pdu-error.ts'
import { type Segmentation, segment, segmentData } from './segmentation/segment.ts'
import { septetsFromText, textFromSeptets } from './text/gsm7-alphabet.ts'
import { packSeptets, unpackSeptets } from './text/septets.ts'
import { textFromUcs2, ucs2FromText } from './text/ucs2.ts'
import { type CommandTpdu, decodeIncoming, decodeOutgoing, encodeForModem, type Tpdu } from './tpdu/tpdu.ts'
import { decodeUssdString, packUssd } from './ussd.ts'
import { decodeMmsNotification } from './wap/mms-notification.ts'
import { encodeMmsNotification } from './wap/mms-notification-encode.ts'
import { decodeWspPush, encodeWspPush } from './wap/wsp-push.ts'
import { decodeUintvar, encodeUintvar } from './wap/wsp-values.ts'

type Expected = Readonly<Record<string, unknown>>

const files = readVectorFiles()

describe('the vectors', () => {
  it('the vectors are more than three hundred, each with a unique name in its file and a source', () => {
    const vectors = files.flatMap((file) => file.vectors)
    expect(vectors.length).toBeGreaterThan(300)
    expect(vectors.filter(({ name, source }) => !name || !source)).toEqual([])
    for (const { name, vectors } of files) {
      expect(new Set(vectors.map((vector) => vector.name)).size, name).toBe(vectors.length)
    }
  })
})

for (const file of files) {
  describe(file.name, () => {
    const check = checks()[file.kind]
    if (check === undefined) throw new Error(`${file.name}: nothing checks vectors of the kind ${file.kind}`)
    it.each(file.vectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
      const { error, ...expected } = vector.expect ?? {}
      if (error === undefined) check(vector, expected)
      else expect(errorOf(() => check(vector, expected))).toMatchObject(error as object)
    })
  })
}

function checks(): Readonly<Record<string, (vector: Vector, expected: Expected) => void>> {
  return {
    tpdu: checkTpdu,
    address: checkAddress,
    'time-stamp': checkTimeStamp,
    'data-coding-scheme': checkDataCodingScheme,
    'protocol-identifier': checkProtocolIdentifier,
    status: checkStatus,
    'validity-period': checkValidityPeriod,
    'user-data-header': checkUserDataHeader,
    packing: checkPacking,
    alphabet: checkAlphabet,
    ucs2: checkUcs2,
    ussd: checkUssd,
    segmentation: checkSegmentation,
    wap: checkWap,
    hex: (vector) => octetsFromHex(vector.hex ?? ''),
  }
}

function checkTpdu(vector: Vector, expected: Expected): void {
  const octets = octetsFromHex(vector.pdu ?? '')
  const { serviceCentre, tpdu } = vector.direction === 'outgoing' ? decodeOutgoing(octets) : decodeIncoming(octets)
  const found = {
    ...readingOfTpdu(tpdu),
    serviceCentre: serviceCentre === undefined ? null : textFromAddress(serviceCentre),
  }
  const { tpduLength, ...members } = expected
  expect(found).toMatchObject(members)
  if (tpdu.kind === 'command' || vector.reencodes === false) return
  const encoded = encodeForModem(tpdu, serviceCentre)
  expect(hexFromOctets(encoded.octets)).toBe(vector.pdu)
  if (tpduLength !== undefined) expect(encoded.tpduLength).toBe(tpduLength)
}

/** The members that a vector can check. Absent members are null, as in JSON. */
function readingOfTpdu(tpdu: Tpdu | CommandTpdu): Expected {
  if (tpdu.kind === 'command') return { kind: tpdu.kind }
  const userData = tpdu.userData
  const scheme = tpdu.dataCodingScheme === undefined ? undefined : decodeDataCodingScheme(tpdu.dataCodingScheme)
  return {
    kind: tpdu.kind,
    ...readingOfAddress(addressOf(tpdu)),
    ...('serviceCentreTimeStamp' in tpdu ? readingOfTime(tpdu.serviceCentreTimeStamp) : {}),
    ...('dischargeTime' in tpdu ? { dischargeTime: isoOf(tpdu.dischargeTime) } : {}),
    ...('status' in tpdu ? { status: tpdu.status, outcome: statusFromOctet(tpdu.status).outcome } : {}),
    ...('messageReference' in tpdu ? { reference: tpdu.messageReference } : {}),
    ...('failureCause' in tpdu ? { failureCause: tpdu.failureCause ?? null } : {}),
    ...('validityPeriod' in tpdu ? { validity: readingOfValidity(tpdu.validityPeriod) } : {}),
    protocolIdentifier: tpdu.protocolIdentifier,
    dataCodingScheme: tpdu.dataCodingScheme,
    messageClass: scheme?.messageClass ?? null,
    messageWaiting: scheme?.messageWaiting ?? null,
    flags: flagNames.filter((flag) => (tpdu as unknown as Expected)[flag] === true),
    ...(userData === undefined ? {} : readingOfUserData(userData)),
  }
}

const flagNames = [
  'moreMessagesToSend',
  'loopPrevention',
  'rejectDuplicates',
  'statusReportRequest',
  'statusReportIndication',
  'statusReportQualifier',
  'replyPath',
]

function addressOf(tpdu: Tpdu): Address | undefined {
  if (tpdu.kind === 'deliver') return tpdu.originator
  if (tpdu.kind === 'submit') return tpdu.destination
  return tpdu.kind === 'status-report' ? tpdu.recipient : undefined
}

function readingOfAddress(address: Address | undefined): Expected {
  if (address === undefined) return {}
  const { typeOfNumber, numberingPlan } = address
  return { address: textFromAddress(address), typeOfNumber, numberingPlan }
}

function readingOfTime(time: TimeStamp | InvalidTimeStamp): Expected {
  return isValidTimeStamp(time) ? { timeStamp: isoFromTimeStamp(time) } : { timeStampRaw: hexFromOctets(time.raw) }
}

function isoOf(time: TimeStamp | InvalidTimeStamp): string | null {
  return isValidTimeStamp(time) ? isoFromTimeStamp(time) : null
}

function readingOfValidity(validity: ValidityPeriod | undefined): Expected | null {
  if (validity === undefined) return null
  if (validity.format === 'relative') return { seconds: secondsFromRelative(validity) }
  if (validity.format === 'enhanced') return { octets: hexFromOctets(validity.octets) }
  return { at: isoOf(validity.at) }
}

function readingOfUserData(userData: UserData): Expected {
  return {
    alphabet: userData.alphabet,
    text: textOfUserData(userData) ?? null,
    octets: userData.alphabet === 'octets' ? hexFromOctets(userData.units) : null,
    truncated: userData.truncated ?? false,
    ...readingOfHeader(userData.header),
  }
}

function readingOfHeader(header: UserDataHeader | undefined): Expected {
  const { locking, single } = nationalLanguagesOf(header)
  return {
    concatenation: concatenationOf(header) ?? null,
    ports: portsOf(header) ?? null,
    languages: { locking: locking ?? null, single: single ?? null },
    headerBroken: header?.broken ?? null,
    headerElements: header?.elements.map(({ identifier, data }) => [identifier, hexFromOctets(data)]) ?? null,
  }
}

function checkAddress(vector: Vector, expected: Expected): void {
  const reader = new OctetReader(octetsFromHex(vector.octets ?? ''))
  const isServiceCentre = vector.form === 'service-centre'
  const address = isServiceCentre ? decodeServiceCentreAddress(reader) : decodeAddress(reader, 'TP-OA')
  expect(reader.remaining).toBe(0)
  const { address: text = null, typeOfNumber = null, numberingPlan = null } = readingOfAddress(address)
  expect({ text, typeOfNumber, numberingPlan }).toEqual(expected)
  if (vector.reencodes === false) return
  const encoded =
    isServiceCentre || address === undefined ? encodeServiceCentreAddress(address) : encodeAddress(address)
  expect(hexFromOctets(encoded)).toBe(vector.octets)
}

function checkTimeStamp(vector: Vector, { iso, epochMs }: Expected): void {
  const time = decodeTimeStamp(new OctetReader(octetsFromHex(vector.octets ?? '')), 'TP-SCTS')
  expect(isoOf(time)).toBe(iso)
  expect(hexFromOctets(encodeTimeStamp(time))).toBe(vector.octets)
  if (!isValidTimeStamp(time) || typeof epochMs !== 'number') return
  expect(epochMsFromTimeStamp(time)).toBe(epochMs)
  expect(timeStampFromEpochMs(epochMs, time.zoneQuarters)).toEqual(time)
}

function checkDataCodingScheme(vector: Vector, expected: Expected): void {
  for (const octet of octetsOfRanges(vector.octets ?? '')) {
    const scheme = decodeDataCodingScheme(octet)
    const found = {
      ...scheme,
      messageClass: scheme.messageClass ?? null,
      messageWaiting: scheme.messageWaiting ?? null,
    }
    expect(found, octet.toString(16)).toMatchObject({ octet, ...expected })
  }
}

function checkProtocolIdentifier(vector: Vector, { replaceType, ...expected }: Expected): void {
  for (const octet of octetsOfRanges(vector.octets ?? '')) {
    const number = replaceType === undefined ? {} : { number: replaceType }
    expect(decodeProtocolIdentifier(octet)).toMatchObject({ octet, ...number, ...expected })
  }
}

function checkStatus(vector: Vector, expected: Expected): void {
  for (const octet of octetsOfRanges(vector.octets ?? '')) {
    expect(statusFromOctet(octet), octet.toString(16)).toMatchObject({ octet, ...expected })
  }
}

function checkValidityPeriod(vector: Vector, { seconds, asked }: Expected): void {
  const [value] = octetsFromHex(vector.octets ?? '')
  const period = { format: 'relative', value: value ?? -1 } as const
  expect(secondsFromRelative(period)).toBe(seconds)
  for (const wish of asked as readonly number[]) expect(relativeFromSeconds(wish)).toEqual(period)
}

function checkUserDataHeader(vector: Vector, expected: Expected): void {
  const header = decodeUserDataHeader(octetsFromHex(vector.octets ?? ''))
  const { headerBroken: broken, headerElements: elements, ...reading } = readingOfHeader(header)
  expect({ broken, elements, ...reading }).toMatchObject(expected)
  expect(hexFromOctets(header.raw)).toBe(vector.octets)
  if (!header.broken) expect(hexFromOctets(encodeUserDataHeader(header.elements))).toBe(vector.octets)
}

function checkPacking({ text, fillBits, octets = '' }: Vector): void {
  const septets = septetsFromText(String(text)) ?? new Uint8Array(0)
  expect(hexFromOctets(packSeptets(septets, fillBits))).toBe(octets)
  expect(unpackSeptets(octetsFromHex(octets), septets.length, fillBits)).toEqual(septets)
}

function checkAlphabet(vector: Vector, expected: Expected): void {
  const { septets: hex, shifts } = vector
  if (hex === null || hex === undefined) {
    expect(septetsFromText(String(vector.text), shifts)).toBeUndefined()
    return
  }
  const septets = octetsFromHex(hex)
  const text = textFromSeptets(septets, shifts)
  expect({ text }).toEqual(expected)
  if (vector.reads !== true) expect(septetsFromText(text, shifts)).toEqual(septets)
}

function checkUcs2(vector: Vector, expected: Expected): void {
  const text = textFromUcs2(octetsFromHex(vector.octets ?? ''))
  expect({ text }).toEqual(expected)
  if (vector.reads !== true) expect(hexFromOctets(ucs2FromText(text))).toBe(vector.octets)
}

function checkUssd(vector: Vector, { text, packs }: Expected): void {
  const octets = octetsFromHex(vector.octets ?? '')
  const dataCodingScheme = vector.dataCodingScheme ?? -1
  expect(decodeUssdString(octets, dataCodingScheme) ?? null).toBe(text)
  if (packs !== true) return
  const encoded = dataCodingScheme === 0x48 ? ucs2FromText(String(text)) : packUssd(String(text))
  expect(encoded && hexFromOctets(encoded)).toBe(vector.octets)
}

function checkSegmentation(vector: Vector, { partsNeeded, ...expected }: Expected): void {
  const options = { reference: 1, ports: { width: 16, destination: 0, source: 0 }, ...vector.options } as const
  if (vector.data !== undefined) {
    expect(readingOfSegmentation(segmentData(new Uint8Array(vector.data), options))).toMatchObject(expected)
    return
  }
  const pieces = vector.text as readonly (readonly [string, number])[]
  const text = pieces.map(([piece, times]) => piece.repeat(times)).join('')
  const segmented = () => segment(text, { reference: 1, ...vector.options })
  if (partsNeeded !== undefined) expect(errorOf(segmented)).toMatchObject({ partsNeeded })
  expect(readingOfSegmentation(segmented())).toMatchObject(expected)
  expect(segmented().parts.map(textOfUserData).join('')).toBe(text)
}

function readingOfSegmentation({ parts, shifts, ...others }: Segmentation): Expected {
  return {
    ...others,
    parts: parts.length,
    partLengths: parts.map((part) => textOfUserData(part)?.length ?? part.units.length),
    languages: { locking: shifts.locking ?? null, single: shifts.single ?? null },
  }
}

function checkWap(vector: Vector, { mms, mmsError, ...expected }: Expected): void {
  const octets = octetsFromHex(vector.octets ?? '')
  if (vector.form === 'uintvar') {
    const uintvar = decodeUintvar(octets, 0, 'HeadersLen')
    expect(uintvar).toEqual({ ...expected, length: octets.length })
    expect(encodeUintvar(uintvar.value)).toEqual(octets)
    return
  }
  const push = vector.form === 'push' ? decodeWspPush(octets) : undefined
  if (push !== undefined) expect(push).toMatchObject(expected)
  const notification = () => decodeMmsNotification(octets, push?.bodyOffset)
  if (mmsError !== undefined) expect(errorOf(notification)).toMatchObject(mmsError as object)
  if (mms === undefined) return
  const absent = { from: null, expiry: null, messageSizeOctets: null }
  expect({ ...absent, ...notification() }).toMatchObject(mms as object)
  if (push === undefined || vector.encodes === undefined) return
  const { transactionId, contentType } = push
  const { contentTypeForm, headers } = vector.encodes
  const encoded = encodeWspPush({
    transactionId,
    contentType: String(contentType),
    contentTypeForm,
    headers: octetsFromHex(headers),
    body: encodeMmsNotification(notification()),
  })
  expect(hexFromOctets(encoded)).toBe(vector.octets)
}

/** `'03-1F 40'` → 3 to 31 and 64 */
function octetsOfRanges(ranges: string): readonly number[] {
  return ranges.split(' ').flatMap((range) => {
    const [first = '', last = first] = range.split('-')
    const start = Number.parseInt(first, 16)
    return Array.from({ length: Number.parseInt(last, 16) - start + 1 }, (_, index) => start + index)
  })
}

function errorOf(run: () => unknown): PduDecodeError | PduEncodeError {
  try {
    run()
  } catch (error) {
    if (error instanceof PduDecodeError || error instanceof PduEncodeError) return error
    throw error
  }
  throw new Error('it did not fail')
}
