import { createHash } from 'node:crypto'

/**
 * The SIDs of Twilio's interface: two letters and 32 hexadecimal digits. `SM` and the `MG` of a device contain the 126
 * bits of an id with 21 characters, so the id can be read from the SID, and no table of SIDs is needed.
 */
const ID_LENGTH = 21
const ID = /^[A-Za-z0-9_-]{21}$/
const HEX = /^[0-9a-f]{32}$/

/** Returns the SID `AC…`, derived from the id of the account. */
export function accountSid(accountId: string): string {
  return `AC${digest(accountId)}`
}

/**
 * Returns the SID `SM…` of a recipient of a sent message (from its `cmdId`), or of a received message (from the first
 * 21 characters of its id).
 */
export function messageSid(id: string): string {
  return `SM${hexOf(id.slice(0, ID_LENGTH))}`
}

/** `ME…` of an attachment, derived from the id in the SID of its message and the number of the part. */
export function mediaSid(id: string, part: bigint | number): string {
  return `ME${digest(`media ${id.slice(0, ID_LENGTH)} ${part}`)}`
}

/** `MG…` that stands for all SIMs of the account. */
export function accountServiceSid(accountId: string): string {
  return `MG${digest(accountId)}`
}

/** Returns the SID `MG…` that stands for the SIMs of one device. */
export function deviceServiceSid(deviceId: string): string {
  return `MG${hexOf(deviceId)}`
}

/** Returns the 21 characters in a SID with this prefix, or undefined if it contains none. */
export function idOfSid(sid: string, prefix: 'SM' | 'MG'): string | undefined {
  const hex = sid.startsWith(prefix) ? sid.slice(prefix.length).toLowerCase() : ''
  if (!HEX.test(hex)) return undefined
  const text = Buffer.from(hex, 'hex').toString('base64url')
  return text.endsWith('A') ? text.slice(0, ID_LENGTH) : undefined
}

/**
 * Ids from other programs may contain other characters. The SID of such an id is a hash, from which the id cannot be
 * read.
 */
function hexOf(id: string): string {
  return ID.test(id) ? Buffer.from(`${id}A`, 'base64url').toString('hex') : digest(id)
}

function digest(text: string): string {
  return createHash('sha256').update(`twilio ${text}`).digest('hex').slice(0, 32)
}
