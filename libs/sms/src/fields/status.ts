/** The delivery status of a submitted message. 23.040 §9.2.3.15 */
export interface Status {
  readonly octet: number
  readonly outcome: DeliveryOutcome
  /** The description of the status in the standard. */
  readonly description: string
}

/**
 * All outcomes except `still-trying` are final; after `still-trying` another report follows. `mayArriveLater` tells
 * whether a new attempt may succeed.
 */
export type DeliveryOutcome = 'delivered' | 'still-trying' | 'failed-permanently' | 'gave-up'

/**
 * A value specific to the service centre has the outcome of its group of 32. A reserved value below 0x80 also has the
 * outcome of its group. According to the standard, a reserved value counts as 0x63. But service centres use a reserved
 * value with the meaning of its group. With 0x63, a delivered message would be reported as failed and would be sent
 * twice. Values from 0x80 have no group and count as in the standard.
 */
export function statusFromOctet(octet: number): Status {
  if (octet >= 0x80) return { octet, outcome: 'gave-up', description: 'Service rejected' }
  return {
    octet,
    outcome: OUTCOMES[octet >> 5] ?? 'gave-up',
    description: DESCRIPTIONS.get(octet) ?? undefinedDescription(octet),
  }
}

/**
 * Returns true if a new attempt may succeed after this failure. An expired message counts as a permanent error in the
 * standard, but it only means that the recipient was not reachable in time.
 */
export function mayArriveLater(octet: number): boolean {
  return octet === EXPIRED || statusFromOctet(octet).outcome === 'gave-up'
}

const EXPIRED = 0x46

/** The index is the value of bits 6 and 5. */
const OUTCOMES: readonly DeliveryOutcome[] = ['delivered', 'still-trying', 'failed-permanently', 'gave-up']

const DESCRIPTIONS: ReadonlyMap<number, string> = new Map([
  [0x00, 'Short message received by the SME'],
  [0x01, 'Short message forwarded by the SC to the SME but the SC is unable to confirm delivery'],
  [0x02, 'Short message replaced by the SC'],

  [0x20, 'Congestion'],
  [0x21, 'SME busy'],
  [0x22, 'No response from SME'],
  [0x23, 'Service rejected'],
  [0x24, 'Quality of service not available'],
  [0x25, 'Error in SME'],

  [0x40, 'Remote procedure error'],
  [0x41, 'Incompatible destination'],
  [0x42, 'Connection rejected by SME'],
  [0x43, 'Not obtainable'],
  [0x44, 'Quality of service not available'],
  [0x45, 'No interworking available'],
  [EXPIRED, 'SM Validity Period Expired'],
  [0x47, 'SM Deleted by originating SME'],
  [0x48, 'SM Deleted by SC Administration'],
  [0x49, 'SM does not exist'],

  [0x60, 'Congestion'],
  [0x61, 'SME busy'],
  [0x62, 'No response from SME'],
  [0x63, 'Service rejected'],
  [0x64, 'Quality of service not available'],
  [0x65, 'Error in SME'],
])

function undefinedDescription(octet: number): string {
  // The upper half of each group of 32 is specific to the service centre.
  return (octet & 0x10) === 0 ? 'Reserved' : 'Values specific to each SC'
}
