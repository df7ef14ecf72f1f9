import { SmppError } from './command.ts'
import { FieldReader, type SmeAddress, TLV, type Tlvs } from './fields.ts'

export interface BindRequest {
  readonly systemId: string
  readonly password: string
  readonly interfaceVersion: number
}

/** A message that a client submits with submit_sm, submit_multi or data_sm. */
export interface SmppSubmission {
  readonly source: SmeAddress
  readonly destinations: readonly SmeAddress[]
  readonly esmClass: number
  readonly priority: number
  readonly scheduleTime: string
  readonly validityPeriod: string
  readonly registeredDelivery: number
  readonly dataCoding: number
  /** The user data, with its header. */
  readonly userData: Uint8Array
  readonly tlvs: Tlvs
}

/**
 * The standard allows 15 characters for the system id and 8 for the password, which would be too short for API keys.
 */
const LONGEST_LOGIN = 64
const LONGEST_ID = 64
const LONGEST_TIME = 16
/** The largest number of recipients of a message in the API. */
const MOST_DESTINATIONS = 100

/** §4.1 */
export function readBind(body: Uint8Array): BindRequest {
  const reader = new FieldReader(body)
  const systemId = reader.text('system_id', LONGEST_LOGIN)
  const password = reader.text('password', LONGEST_LOGIN)
  reader.text('system_type', LONGEST_LOGIN)
  const interfaceVersion = reader.octet('interface_version')
  reader.octet('addr_ton')
  reader.octet('addr_npi')
  reader.text('address_range', LONGEST_LOGIN)
  return { systemId, password, interfaceVersion }
}

/** §4.4.1 */
export function readSubmitSm(body: Uint8Array): SmppSubmission {
  return readSubmission(new FieldReader(body), (reader) => [reader.address('destination_addr')])
}

/** §4.5.1 */
export function readSubmitMulti(body: Uint8Array): SmppSubmission {
  return readSubmission(new FieldReader(body), (reader) => {
    const count = reader.octet('number_of_dests')
    if (count === 0 || count > MOST_DESTINATIONS)
      throw new SmppError('ESME_RINVNUMDESTS', `number_of_dests ${count} is not between 1 and ${MOST_DESTINATIONS}`)
    return Array.from({ length: count }, () => {
      const flag = reader.octet('dest_flag')
      if (flag === 2) throw new SmppError('ESME_RINVDLNAME', 'distribution lists are not supported')
      if (flag !== 1) throw new SmppError('ESME_RINVDESTFLAG', `dest_flag ${flag} is not 1`)
      return reader.address('destination_addr')
    })
  })
}

/** §4.7.1: data_sm has no times and no priority, and its content is in message_payload. */
export function readDataSm(body: Uint8Array): SmppSubmission {
  const reader = new FieldReader(body)
  reader.text('service_type', LONGEST_LOGIN)
  const source = reader.address('source_addr')
  const destinations = [reader.address('destination_addr')]
  const [esmClass, registeredDelivery, dataCoding] = [
    reader.octet('esm_class'),
    reader.octet('registered_delivery'),
    reader.octet('data_coding'),
  ]
  const tlvs = reader.tlvs()
  return {
    source,
    destinations,
    esmClass,
    priority: 0,
    scheduleTime: '',
    validityPeriod: '',
    registeredDelivery,
    dataCoding,
    userData: tlvs.get(TLV.messagePayload) ?? new Uint8Array(),
    tlvs,
  }
}

function readSubmission(reader: FieldReader, readDestinations: (reader: FieldReader) => SmeAddress[]): SmppSubmission {
  reader.text('service_type', LONGEST_LOGIN)
  const source = reader.address('source_addr')
  const destinations = readDestinations(reader)
  const esmClass = reader.octet('esm_class')
  reader.octet('protocol_id')
  const priority = reader.octet('priority_flag')
  const scheduleTime = reader.text('schedule_delivery_time', LONGEST_TIME)
  const validityPeriod = reader.text('validity_period', LONGEST_TIME)
  const registeredDelivery = reader.octet('registered_delivery')
  if (reader.octet('replace_if_present_flag') !== 0)
    throw new SmppError('ESME_RINVSUBREP', 'replace_if_present_flag is not supported')
  const dataCoding = reader.octet('data_coding')
  if (reader.octet('sm_default_msg_id') !== 0)
    throw new SmppError('ESME_RINVDFTMSGID', 'sm_default_msg_id: there are no predefined messages')
  const shortMessage = reader.octets('short_message', reader.octet('sm_length'))
  const tlvs = reader.tlvs()
  const payload = tlvs.get(TLV.messagePayload)
  if (payload !== undefined && shortMessage.length > 0)
    throw new SmppError('ESME_RINVMSGLEN', 'both short_message and message_payload are set')
  return {
    source,
    destinations,
    esmClass,
    priority,
    scheduleTime,
    validityPeriod,
    registeredDelivery,
    dataCoding,
    userData: payload ?? shortMessage,
    tlvs,
  }
}

/** §4.8.1 */
export function readQuerySm(body: Uint8Array): { readonly messageId: string } {
  return { messageId: new FieldReader(body).text('message_id', LONGEST_ID) }
}

/** §4.9.1 */
export function readCancelSm(body: Uint8Array): { readonly messageId: string } {
  const reader = new FieldReader(body)
  reader.text('service_type', LONGEST_LOGIN)
  return { messageId: reader.text('message_id', LONGEST_ID) }
}
