/** The commands of SMPP 3.4 (§5.1.2.1). A response has the id of its request with the highest bit set. */
export const COMMAND = {
  genericNack: 0x80000000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  querySm: 0x03,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  replaceSm: 0x07,
  cancelSm: 0x08,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  submitMulti: 0x21,
  dataSm: 0x103,
} as const

export const RESPONSE_BIT = 0x80000000

/** The results of a command (§5.1.3), with the names of the standard. */
export const STATUS = {
  ESME_ROK: 0x00,
  ESME_RINVMSGLEN: 0x01,
  ESME_RINVCMDLEN: 0x02,
  ESME_RINVCMDID: 0x03,
  ESME_RINVBNDSTS: 0x04,
  ESME_RALYBND: 0x05,
  ESME_RINVPRTFLG: 0x06,
  ESME_RINVREGDLVFLG: 0x07,
  ESME_RSYSERR: 0x08,
  ESME_RINVSRCADR: 0x0a,
  ESME_RINVDSTADR: 0x0b,
  ESME_RINVMSGID: 0x0c,
  ESME_RBINDFAIL: 0x0d,
  ESME_RINVPASWD: 0x0e,
  ESME_RCANCELFAIL: 0x11,
  ESME_RREPLACEFAIL: 0x13,
  ESME_RMSGQFUL: 0x14,
  ESME_RINVNUMDESTS: 0x33,
  ESME_RINVDLNAME: 0x34,
  ESME_RINVDESTFLAG: 0x40,
  ESME_RINVSUBREP: 0x42,
  ESME_RINVESMCLASS: 0x43,
  ESME_RSUBMITFAIL: 0x45,
  ESME_RTHROTTLED: 0x58,
  ESME_RINVSCHED: 0x61,
  ESME_RINVEXPIRY: 0x62,
  ESME_RINVDFTMSGID: 0x63,
  ESME_RX_P_APPN: 0x65,
  ESME_RX_R_APPN: 0x66,
  ESME_RQUERYFAIL: 0x67,
  ESME_RINVOPTPARSTREAM: 0xc0,
  ESME_RINVPARLEN: 0xc2,
} as const

export type StatusName = keyof typeof STATUS

/** Makes the server answer a request with an error. The message is for the log and does not quote the request. */
export class SmppError extends Error {
  override readonly name = 'SmppError'
  readonly status: StatusName

  constructor(status: StatusName, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Returns the name of a status, or its number in hexadecimal. */
export function statusName(status: number): string {
  const found = Object.entries(STATUS).find(([, value]) => value === status)
  return found?.[0] ?? `0x${status.toString(16).padStart(8, '0')}`
}
