import { decodeDataCodingScheme } from '../src/fields/data-coding-scheme.ts'
import { isValidTimeStamp } from '../src/fields/time-stamp.ts'
import { addressIn, type Field, hasNationalLanguage, type OurReading } from './our-reading.ts'

export interface Difference {
  /** `refused` when gammu refuses the PDU; `octets` when gammu encodes the same message differently. */
  readonly field: Field | 'refused' | 'octets'
  readonly ours: string
  readonly gammu: string
  readonly reading: OurReading
}

export interface KnownDifference {
  /** The name of the row in docs/sms-oracle.md that explains the difference. */
  readonly name: string
  readonly explains: (difference: Difference) => boolean
}

/** Accepted differences from gammu 1.42. Any other difference fails the comparison. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    name: 'Text after escapes',
    explains: ({ field, ours, gammu, reading }) =>
      field === 'text' && userDataOf(reading)?.units.includes(escapeSeptet) === true && gammu.startsWith(ours),
  },
  {
    name: 'National languages',
    explains: ({ field, reading }) => field === 'text' && hasNationalLanguage(reading.tpdu),
  },
  {
    name: 'Tilde in UCS-2',
    explains: ({ field, ours, gammu, reading }) =>
      field === 'text' && userDataOf(reading)?.alphabet === 'ucs2' && `${ours}${gammu}`.includes('~'),
  },
  {
    name: 'Signs and letters in numbers',
    explains: ({ field, ours, gammu }) => field === 'number' && ours.replace(/[*#abc]/g, '') === gammu,
  },
  {
    name: 'Names beyond ASCII',
    explains: ({ field, ours, reading }) =>
      field === 'number' && addressOf(reading)?.typeOfNumber === 'alphanumeric' && !/^[A-Za-z0-9 .]*$/.test(ours),
  },
  {
    name: 'Numbers of odd length that are padded with a digit',
    explains: ({ field, ours, gammu }) => field === 'number' && gammu === `${ours}0`,
  },
  {
    name: 'Numbers that begin with 00',
    explains: ({ field, ours, gammu }) => field === 'number' && gammu.startsWith('00') && ours === `+${gammu.slice(2)}`,
  },
  {
    name: 'Last century',
    explains: ({ field, reading: { tpdu } }) =>
      field === 'time' &&
      'serviceCentreTimeStamp' in tpdu &&
      isValidTimeStamp(tpdu.serviceCentreTimeStamp) &&
      tpdu.serviceCentreTimeStamp.year < 2000,
  },
  {
    name: 'Message parts in which the part number comes after another element of the header',
    explains: ({ field, ours, gammu, reading }) =>
      field === 'parts' && gammu === '' && ours !== '' && (userDataOf(reading)?.header?.elements.length ?? 0) > 1,
  },
  {
    name: 'Reserved bits of a coding scheme',
    explains: ({ field, reading }) =>
      ['text', 'coding', 'class', 'refused'].includes(field) && hasReservedBits(reading.tpdu.dataCodingScheme),
  },
  {
    name: 'Enhanced validity period',
    explains: ({ field, reading: { tpdu } }) =>
      field === 'refused' && tpdu.kind === 'submit' && tpdu.validityPeriod?.format === 'enhanced',
  },
  {
    name: 'A last octet that is missing',
    explains: ({ field, reading }) => field === 'refused' && userDataOf(reading)?.truncated === true,
  },
  {
    name: 'A header that is longer than its message',
    explains: ({ field, reading }) => field === 'refused' && userDataOf(reading)?.header?.broken === true,
  },
  {
    name: 'The reserved message type',
    explains: ({ field, ours, reading }) =>
      field === 'refused' && reading.tpdu.kind === 'deliver' && hasReservedType(ours),
  },
  {
    name: 'Length of names',
    explains: ({ field, reading }) => field === 'octets' && addressOf(reading)?.typeOfNumber === 'alphanumeric',
  },
]

const escapeSeptet = 0x1b

function userDataOf({ tpdu }: OurReading) {
  return tpdu.userData
}

function addressOf({ tpdu }: OurReading) {
  return tpdu.kind === 'deliver' || tpdu.kind === 'submit' || tpdu.kind === 'status-report'
    ? addressIn(tpdu)
    : undefined
}

/** Matches bit 3 of group F, and all reserved values. */
function hasReservedBits(octet: number | undefined): boolean {
  return octet !== undefined && ((octet & 0xf8) === 0xf8 || decodeDataCodingScheme(octet).reserved)
}

/** Matches a TP-MTI of 3 after the service centre. */
function hasReservedType(pdu: string): boolean {
  const at = 2 * (1 + Number.parseInt(pdu.slice(0, 2), 16))
  return (Number.parseInt(pdu.slice(at, at + 2), 16) & 0b11) === 0b11
}
