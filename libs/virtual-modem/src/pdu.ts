import { PduDecodeError, PduEncodeError } from '@smsgw/sms/pdu-error'

/** What the codec makes of octets, or undefined when they are not what the standard says. */
export function decoded<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (failure) {
    if (failure instanceof PduDecodeError || failure instanceof PduEncodeError) return undefined
    throw failure
  }
}
