import type { MessageState } from '@smsgw/client/openapi'

type RecipientState = Pick<MessageState['recipients'][number], 'state'> & { readonly error?: string | undefined }

/** The result of a message in the terms of SMPP. */
export interface ReceiptOutcome {
  /** §5.2.28 */
  readonly messageState: number
  /** The state in the spelling of receipts. */
  readonly stat: string
  /** `err` of receipts and error_code of query_sm_resp. Each server defines its own codes. */
  readonly errorCode: number
}

const ENROUTE: ReceiptOutcome = { messageState: 1, stat: 'ENROUTE', errorCode: 0 }
const DELIVERED: ReceiptOutcome = { messageState: 2, stat: 'DELIVRD', errorCode: 0 }
export const EXPIRED: ReceiptOutcome = { messageState: 3, stat: 'EXPIRED', errorCode: 3 }
const DELETED: ReceiptOutcome = { messageState: 4, stat: 'DELETED', errorCode: 4 }
const UNDELIVERABLE: ReceiptOutcome = { messageState: 5, stat: 'UNDELIV', errorCode: 1 }
const UNKNOWN: ReceiptOutcome = { messageState: 7, stat: 'UNKNOWN', errorCode: 2 }

/** Failures after which the message may have arrived or not. */
const UNKNOWN_FAILURE = /^(submit_unknown|device_lost|outcome unknown)/

/** Returns the outcome for one recipient. */
export function recipientOutcome({ state, error = '' }: RecipientState): ReceiptOutcome {
  if (state === 'Delivered') return DELIVERED
  if (state === 'Cancelled') return DELETED
  if (state !== 'Failed') return ENROUTE
  if (error === 'TTL expired') return EXPIRED
  return UNKNOWN_FAILURE.test(error) ? UNKNOWN : UNDELIVERABLE
}

/** Returns the outcome of a message. If the message failed, returns the outcome of the first failed recipient. */
export function outcomeOf({ state, recipients }: MessageState): ReceiptOutcome {
  const failed = recipients.find((recipient) => recipient.state === 'Failed')
  return recipientOutcome(state === 'Failed' && failed !== undefined ? failed : { state })
}

/** Returns when the message reached its final state, in milliseconds; undefined if it has not. */
export function finalTimeOf({ state, states }: MessageState): number | undefined {
  if (state !== 'Delivered' && state !== 'Failed' && state !== 'Cancelled') return undefined
  const at = states[state]
  return at === undefined ? undefined : Date.parse(at)
}
