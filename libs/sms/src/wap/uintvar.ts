import { PduDecodeError, PduEncodeError } from '../pdu-error.ts'

/**
 * Variable length unsigned integer, WAP-230 §8.1.2: seven bits in each octet, most significant first, the top bit says
 * that another octet follows. 32 bits at most, hence five octets.
 */
export interface Uintvar {
  readonly value: number
  readonly length: number
}

export const largestUintvar = 0xffff_ffff

export function decodeUintvar(octets: Uint8Array, offset: number, field: string, end = octets.length): Uintvar {
  let value = 0
  for (let length = 1; length <= 5; length++) {
    const at = offset + length - 1
    const octet = at < end ? octets[at] : undefined
    if (octet === undefined) throw new PduDecodeError(field, at, 'the data ends inside a uintvar')
    value = value * 0x80 + (octet & 0x7f)
    if (value > largestUintvar) throw new PduDecodeError(field, offset, 'a uintvar of more than 32 bits')
    if ((octet & 0x80) === 0) return { value, length }
  }
  throw new PduDecodeError(field, offset, 'a uintvar of more than five octets')
}

export function encodeUintvar(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > largestUintvar) {
    throw new PduEncodeError('uintvar', `${value} is not an integer of 32 bits`)
  }
  const octets = [value % 0x80]
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    octets.unshift(0x80 | (rest % 0x80))
  }
  return Uint8Array.from(octets)
}
