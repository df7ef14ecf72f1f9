import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, addressFromText, type TypeOfNumber, textFromAddress } from './fields/address.ts'
import { decodeDataCodingScheme } from './fields/data-coding-scheme.ts'
import {
  decodeTimeStamp,
  epochMsFromTimeStamp,
  type InvalidTimeStamp,
  isValidTimeStamp,
  type TimeStamp,
  timeStampFromEpochMs,
} from './fields/time-stamp.ts'
import { MAX_USER_DATA_OCTETS, type UserData } from './fields/user-data.ts'
import {
  type Concatenation,
  concatenationElement,
  concatenationOf,
  type InformationElement,
  portsElement,
  portsOf,
  userDataHeaderOf,
} from './fields/user-data-header.ts'
import { decodeValidityPeriod, type ValidityPeriod } from './fields/validity-period.ts'
import { hexFromOctets, OctetReader, octetsFromHex } from './octets.ts'
import { PduDecodeError, PduEncodeError } from './pdu-error.ts'
import { septetsFromText, textFromSeptets } from './text/gsm7-alphabet.ts'
import { type Deliver, decodeDeliver, encodeDeliver } from './tpdu/deliver.ts'
import { type DeliverReport, decodeDeliverReport, encodeDeliverReport } from './tpdu/deliver-report.ts'
import type { OptionalParameters } from './tpdu/optional-parameters.ts'
import { decodeStatusReport, encodeStatusReport, type StatusReport } from './tpdu/status-report.ts'
import { decodeSubmit, encodeSubmit, type Submit } from './tpdu/submit.ts'
import { decodeSubmitReport, encodeSubmitReport, type SubmitReport } from './tpdu/submit-report.ts'
import { type CommandTpdu, decodeIncoming, decodeOutgoing, encodeForModem, type Tpdu } from './tpdu/tpdu.ts'

const octet = fc.integer({ min: 0, max: 255 })

function octetsOf(minLength: number, maxLength = minLength): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength, maxLength })
}

const number: fc.Arbitrary<Address> = fc.record({
  typeOfNumber: fc.constantFrom<TypeOfNumber>(
    'unknown',
    'international',
    'national',
    'network-specific',
    'subscriber',
    'abbreviated',
    'reserved',
  ),
  numberingPlan: fc.integer({ min: 0, max: 15 }),
  value: fc.string({ unit: fc.constantFrom(...'0123456789*#abc'), maxLength: 20 }),
})

/** Every character of the default alphabet and its extension. */
const gsmCharacters = Array.from({ length: 128 }, (_, septet) => septet)
  .filter((septet) => septet !== 0x1b)
  .flatMap((septet) => [textFromSeptets(Uint8Array.of(septet)), textFromSeptets(Uint8Array.of(0x1b, septet))])

const name: fc.Arbitrary<Address> = fc.record({
  typeOfNumber: fc.constant<TypeOfNumber>('alphanumeric'),
  numberingPlan: fc.integer({ min: 0, max: 15 }),
  value: fc
    .string({ unit: fc.constantFrom(...gsmCharacters), maxLength: 11 })
    .filter((text) => (septetsFromText(text)?.length ?? 12) <= 11),
})

const address = fc.oneof(number, name)

const timeStamp: fc.Arbitrary<TimeStamp> = fc
  .record({
    epochMs: fc.integer({ min: Date.UTC(1990, 0, 2), max: Date.UTC(2089, 11, 30) }),
    zoneQuarters: fc.integer({ min: -79, max: 79 }),
  })
  .map(({ epochMs, zoneQuarters }) => timeStampFromEpochMs(epochMs, zoneQuarters))

const anyTimeStamp: fc.Arbitrary<TimeStamp | InvalidTimeStamp> = fc.oneof(
  timeStamp,
  octetsOf(7).map((raw) => decodeTimeStamp(new OctetReader(raw), 'TP-SCTS')),
)

const validityPeriod: fc.Arbitrary<ValidityPeriod | undefined> = fc.oneof(
  fc.constant(undefined),
  octet.map((value): ValidityPeriod => ({ format: 'relative', value })),
  anyTimeStamp.map((at): ValidityPeriod => ({ format: 'absolute', at })),
  octetsOf(7).map((octets) => decodeValidityPeriod(new OctetReader(octets), 0b01)),
)

const element: fc.Arbitrary<InformationElement> = fc.record({ identifier: octet, data: octetsOf(0, 20) })

const header = fc
  .option(fc.array(element, { maxLength: 4 }), { nil: undefined })
  .map((elements) => (elements === undefined ? undefined : userDataHeaderOf(elements)))

function userDataFor(dataCodingScheme: number, maxOctets = MAX_USER_DATA_OCTETS): fc.Arbitrary<UserData> {
  const { alphabet, compressed } = decodeDataCodingScheme(dataCodingScheme)
  return header.chain((header): fc.Arbitrary<UserData> => {
    const headerOctets = header?.raw.length ?? 0
    if (alphabet === 'gsm7' && !compressed) {
      const room = Math.floor((maxOctets * 8) / 7) - Math.ceil((headerOctets * 8) / 7)
      return fc.uint8Array({ max: 127, maxLength: room }).map((units) => ({ alphabet, header, units }))
    }
    const units = octetsOf(0, maxOctets - headerOctets)
    return units.map((units) => ({ alphabet, ...(compressed ? { compressed } : {}), header, units }))
  })
}

const content = octet.chain((dataCodingScheme) =>
  fc.record({ dataCodingScheme: fc.constant(dataCodingScheme), userData: userDataFor(dataCodingScheme) }),
)

const submit: fc.Arbitrary<Submit> = fc
  .tuple(
    fc.record({
      kind: fc.constant('submit' as const),
      rejectDuplicates: fc.boolean(),
      replyPath: fc.boolean(),
      statusReportRequest: fc.boolean(),
      messageReference: octet,
      destination: address,
      protocolIdentifier: octet,
      validityPeriod,
    }),
    content,
  )
  .map(([envelope, content]) => ({ ...envelope, ...content }))

const deliver: fc.Arbitrary<Deliver> = fc
  .tuple(
    fc.record({
      kind: fc.constant('deliver' as const),
      moreMessagesToSend: fc.boolean(),
      loopPrevention: fc.boolean(),
      replyPath: fc.boolean(),
      statusReportIndication: fc.boolean(),
      originator: address,
      protocolIdentifier: octet,
      serviceCentreTimeStamp: anyTimeStamp,
    }),
    content,
  )
  .map(([envelope, content]) => ({ ...envelope, ...content }))

/** In the longest report, with all other fields at their maximum, 131 octets are left for the user data. */
const optionalParameters: fc.Arbitrary<OptionalParameters> = fc
  .record({ protocolIdentifier: octet, dataCodingScheme: octet }, { requiredKeys: [] })
  .chain((parameters) =>
    fc
      .option(userDataFor(parameters.dataCodingScheme ?? 0, 131), { nil: undefined })
      .map((userData) => (userData === undefined ? parameters : { ...parameters, userData })),
  )

const statusReport: fc.Arbitrary<StatusReport> = fc
  .tuple(
    fc.record({
      kind: fc.constant('status-report' as const),
      moreMessagesToSend: fc.boolean(),
      loopPrevention: fc.boolean(),
      statusReportQualifier: fc.boolean(),
      messageReference: octet,
      recipient: address,
      serviceCentreTimeStamp: anyTimeStamp,
      dischargeTime: anyTimeStamp,
      status: octet,
    }),
    optionalParameters,
  )
  .map(([mandatory, parameters]) => ({ ...mandatory, ...parameters }))

const failureCause = fc.option(fc.integer({ min: 0x80, max: 0xff }), { nil: undefined })

const deliverReport: fc.Arbitrary<DeliverReport> = fc
  .tuple(failureCause, optionalParameters)
  .map(([failureCause, parameters]) => ({ kind: 'deliver-report', failureCause, ...parameters }))

const submitReport: fc.Arbitrary<SubmitReport> = fc
  .tuple(failureCause, anyTimeStamp, optionalParameters)
  .map(([failureCause, serviceCentreTimeStamp, parameters]) => ({
    kind: 'submit-report',
    failureCause,
    serviceCentreTimeStamp,
    ...parameters,
  }))

const incoming: fc.Arbitrary<Tpdu> = fc.oneof(deliver, statusReport, submitReport)
const outgoing: fc.Arbitrary<Tpdu> = fc.oneof(submit, deliverReport)
const serviceCentre = fc.option(number, { nil: undefined })

function check<Value>(arbitrary: fc.Arbitrary<Value>, property: (value: Value) => void): void {
  // Does not return the result of `expect`, because fast-check treats a returned `false` as a failure.
  const checked = fc.property(arbitrary, (value) => {
    property(value)
  })
  fc.assert(checked, { numRuns: 500 })
}

describe('decodes encoded values unchanged:', () => {
  test('SMS-SUBMIT', () => check(submit, (value) => expect(decodeSubmit(encodeSubmit(value))).toEqual(value)))

  test('SMS-DELIVER', () => check(deliver, (value) => expect(decodeDeliver(encodeDeliver(value))).toEqual(value)))

  test('SMS-STATUS-REPORT', () =>
    check(statusReport, (value) => expect(decodeStatusReport(encodeStatusReport(value))).toEqual(value)))

  test('SMS-DELIVER-REPORT', () =>
    check(deliverReport, (value) => expect(decodeDeliverReport(encodeDeliverReport(value))).toEqual(value)))

  test('SMS-SUBMIT-REPORT', () =>
    check(submitReport, (value) => expect(decodeSubmitReport(encodeSubmitReport(value))).toEqual(value)))

  test('decodes encoded values unchanged: any TPDU with a service centre', () => {
    check(fc.tuple(incoming, serviceCentre), ([tpdu, serviceCentre]) =>
      expect(decodeIncoming(encodeForModem(tpdu, serviceCentre).octets)).toEqual({ serviceCentre, tpdu }),
    )
    check(fc.tuple(outgoing, serviceCentre), ([tpdu, serviceCentre]) =>
      expect(decodeOutgoing(encodeForModem(tpdu, serviceCentre).octets)).toEqual({ serviceCentre, tpdu }),
    )
  })

  test('decodes encoded values unchanged: a moment in any zone', () =>
    check(timeStamp, (value) =>
      expect(timeStampFromEpochMs(epochMsFromTimeStamp(value), value.zoneQuarters)).toEqual(value),
    ))

  test('decodes encoded values unchanged: a number or a name as people write it', () => {
    const text = fc.oneof(
      fc.stringMatching(/^\+[0-9]{1,20}$/),
      fc.stringMatching(/^[0-9*#abc]{1,20}$/),
      // A name that has only spaces and punctuation may look like a number with separators. Such a name is refused.
      name.map(({ value }) => value).filter((value) => /[^\d\s()+./-]/.test(value)),
    )
    check(text, (text) => expect(textFromAddress(addressFromText(text))).toBe(text))
  })

  test('hexadecimal', () =>
    check(octetsOf(0, 200), (octets) => expect(octetsFromHex(hexFromOctets(octets))).toEqual(octets)))

  test('decodes encoded values unchanged: concatenation and ports among other elements', () => {
    const width = fc.constantFrom(8 as const, 16 as const)
    const concatenation: fc.Arbitrary<Concatenation> = fc
      .record({ width, reference: octet, total: fc.integer({ min: 1, max: 255 }), seed: fc.nat() })
      .map(({ seed, ...rest }) => ({ ...rest, sequence: 1 + (seed % rest.total) }))
    const ports = fc.record({ width, destination: octet, source: octet })
    const unknown = fc.array(fc.record({ identifier: fc.integer({ min: 0x70, max: 0x7f }), data: octetsOf(0, 9) }), {
      maxLength: 3,
    })
    check(fc.tuple(unknown, concatenation, ports), ([unknown, concatenation, ports]) => {
      const header = userDataHeaderOf([...unknown, concatenationElement(concatenation), portsElement(ports)])
      expect(concatenationOf(header)).toEqual(concatenation)
      expect(portsOf(header)).toEqual(ports)
    })
  })
})

describe('invalid octets', () => {
  const decoders = [
    decodeIncoming,
    decodeOutgoing,
    decodeSubmit,
    decodeDeliver,
    decodeStatusReport,
    decodeDeliverReport,
    decodeSubmitReport,
  ]

  /** A message with changed, removed or added octets, as after a transmission over a bad line. */
  const damaged = fc
    .tuple(
      fc.oneof(incoming, outgoing),
      fc.array(fc.tuple(fc.nat(), octet), { maxLength: 6 }),
      fc.nat({ max: 200 }),
      octetsOf(0, 8),
    )
    .map(([tpdu, changes, length, filling]) => {
      const octets = encodeForModem(tpdu).octets
      for (const [position, value] of changes) octets[position % octets.length] = value
      return Uint8Array.from([...octets.subarray(0, length), ...filling])
    })

  const noise = fc.oneof(octetsOf(0, 200), damaged)

  test('invalid octets are decoded to a value, or cause an error with a field and a valid offset', () => {
    check(noise, (octets) => {
      for (const decode of decoders) {
        try {
          decode(octets)
        } catch (error) {
          if (!(error instanceof PduDecodeError)) throw error
          expect(error.field).toMatch(/^(SCA|TP-[A-Z]+)$/)
          expect(error.offset).toBeGreaterThanOrEqual(0)
          expect(error.offset).toBeLessThanOrEqual(octets.length)
        }
      }
    })
  })

  test('invalid octets may be overwritten after decoding', () => {
    check(noise, (octets) => {
      const read = (from: Uint8Array) =>
        [decodeIncoming, decodeOutgoing].map((decode) => decodedOrUndefined(() => decode(from)))
      const expected = read(octets.slice())
      const messages = read(octets)
      octets.fill(0xaa)
      expect(messages).toEqual(expected)
    })
  })

  test.each([
    ['incoming', decodeIncoming],
    ['outgoing', decodeOutgoing],
  ] as const)(
    'invalid octets that are decoded as an %s message have the same meaning after encoding',
    (_direction, decode) => {
      check(noise, (octets) => {
        const message = decodedOrUndefined(() => decode(octets))
        if (message === undefined || message.tpdu.kind === 'command') return
        const { tpdu, serviceCentre } = message
        const again = encodedOrUndefined(() => encodeForModem(tpdu, serviceCentre))
        // Addresses and user data beyond the limits of the standard are decoded, but not encoded.
        if (again !== undefined) expect(decode(again.octets)).toEqual(withoutTruncation(message))
      })
    },
  )

  test('invalid octets that end too early are refused at or before their end', () => {
    check(fc.tuple(submit, fc.nat()), ([submit, seed]) => {
      const octets = encodeSubmit(submit)
      const cut = octets.subarray(0, seed % octets.length)
      const error = errorOf(() => decodeSubmit(cut))
      if (error === undefined) {
        // Only messages without the last octet of a text are accepted. Other truncated messages are refused.
        expect(cut.length).toBe(octets.length - 1)
        expect(submit.userData.alphabet).not.toBe('octets')
      } else expect(error.offset).toBeLessThanOrEqual(cut.length)
    })
  })
})

function decodedOrUndefined<Value>(decode: () => Value): Value | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof PduDecodeError) return undefined
    throw error
  }
}

function encodedOrUndefined<Value>(encode: () => Value): Value | undefined {
  try {
    return encode()
  } catch (error) {
    if (error instanceof PduEncodeError) return undefined
    throw error
  }
}

function errorOf(decode: () => unknown): PduDecodeError | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    if (error instanceof PduDecodeError) return error
    throw error
  }
}

/** A truncated message is encoded as a complete, shorter one. */
function withoutTruncation(message: { readonly tpdu: Tpdu | CommandTpdu }): object {
  const { tpdu } = message
  if (tpdu.kind === 'command' || tpdu.userData?.truncated === undefined) return message
  const { truncated: _, ...userData } = tpdu.userData
  return { ...message, tpdu: { ...tpdu, userData } }
}

test('every decoded time stamp is a time or keeps its octets', () => {
  check(octetsOf(7), (raw) => {
    const timeStamp = decodeTimeStamp(new OctetReader(raw), 'TP-SCTS')
    if (isValidTimeStamp(timeStamp)) expect(Number.isSafeInteger(epochMsFromTimeStamp(timeStamp))).toBe(true)
    else expect(timeStamp.raw).toEqual(raw)
  })
})
