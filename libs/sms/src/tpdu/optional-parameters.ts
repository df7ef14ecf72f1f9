import { decodeDataCodingScheme } from '../fields/data-coding-scheme.ts'
import { decodeUserData, encodeUserDataField, type UserData } from '../fields/user-data.ts'
import { checkedOctet, joinOctets, type OctetReader } from '../octets.ts'

/** The optional fields at the end of a report; TP-PI shows which fields are present. 23.040 §9.2.3.27 */
export interface OptionalParameters {
  readonly protocolIdentifier?: number
  readonly dataCodingScheme?: number
  /** Decoded in the default alphabet when TP-DCS is absent. */
  readonly userData?: UserData
}

/** The size of an SMS-SUBMIT with all fields at their maximum, which is the longest TPDU. */
const MAX_TPDU_OCTETS = 164

export function parameterIndicatorOf(parameters: OptionalParameters): number {
  return (
    (parameters.protocolIdentifier === undefined ? 0 : PROTOCOL_IDENTIFIER_BIT) |
    (parameters.dataCodingScheme === undefined ? 0 : DATA_CODING_SCHEME_BIT) |
    (parameters.userData === undefined ? 0 : USER_DATA_BIT)
  )
}

/**
 * @param octetsBefore the number of octets of the TPDU before the parameters; the user data may use the remaining
 * octets
 */
export function encodeOptionalParameters(parameters: OptionalParameters, octetsBefore: number): Uint8Array {
  const { protocolIdentifier, dataCodingScheme, userData } = parameters
  const octets: number[] = []
  if (protocolIdentifier !== undefined) octets.push(checkedOctet(protocolIdentifier, 'TP-PID'))
  if (dataCodingScheme !== undefined) octets.push(checkedOctet(dataCodingScheme, 'TP-DCS'))
  const start = Uint8Array.from(octets)
  if (userData === undefined) return start
  const maxOctets = MAX_TPDU_OCTETS - octetsBefore - start.length - 1
  return joinOctets([start, encodeUserDataField(userData, dataCodingScheme ?? 0, maxOctets)])
}

/** Reads TP-PI and its extensions; no release defines an extension. */
export function decodeParameterIndicator(reader: OctetReader): number {
  const indicator = reader.octet('TP-PI')
  let last = indicator
  while ((last & EXTENSION_BIT) !== 0) last = reader.octet('TP-PI')
  return indicator
}

/** Ignores octets after the parameters, because they belong to reserved bits of TP-PI. */
export function decodeOptionalParameters(
  reader: OctetReader,
  indicator: number,
  hasHeader: boolean,
): OptionalParameters {
  const protocolIdentifier = indicator & PROTOCOL_IDENTIFIER_BIT ? reader.octet('TP-PID') : undefined
  const dataCodingScheme = indicator & DATA_CODING_SCHEME_BIT ? reader.octet('TP-DCS') : undefined
  const scheme = decodeDataCodingScheme(dataCodingScheme ?? 0)
  return {
    ...(protocolIdentifier === undefined ? {} : { protocolIdentifier }),
    ...(dataCodingScheme === undefined ? {} : { dataCodingScheme }),
    ...(indicator & USER_DATA_BIT ? { userData: decodeUserData(reader, scheme, hasHeader) } : {}),
  }
}

const PROTOCOL_IDENTIFIER_BIT = 0x01
const DATA_CODING_SCHEME_BIT = 0x02
const USER_DATA_BIT = 0x04
const EXTENSION_BIT = 0x80
