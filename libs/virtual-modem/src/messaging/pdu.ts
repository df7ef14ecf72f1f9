import { PduDecodeError, PduEncodeError } from '@smsgw/sms/pdu-error'

/** Returns the decoded value, or undefined when the codec refuses the input. */
export function decoded<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (failure) {
    if (failure instanceof PduDecodeError || failure instanceof PduEncodeError) return undefined
    throw failure
  }
}
