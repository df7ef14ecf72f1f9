import { fields, TLV, tlv } from '../protocol/fields.ts'
import { writeSmppTime } from '../protocol/smpp-time.ts'
import type { Receipt } from './delivery-queue.ts'

/** esm_class of a delivery receipt (§5.2.12). */
const IS_RECEIPT = 0x04
const TEXT_CHARACTERS = 20

/**
 * Returns the body of a deliver_sm with a delivery receipt, in the format of Appendix B. The source and the destination
 * of the message are exchanged.
 */
export function receiptPdu(receipt: Receipt): Uint8Array {
  const { source, destination, messageId, messageState } = receipt
  const text = Buffer.from(receiptText(receipt), 'latin1')
  return fields(
    '',
    destination,
    source,
    IS_RECEIPT,
    ...[0, 0, '', '', 0, 0, 0, 0],
    text.length,
    text,
    tlv(TLV.receiptedMessageId, fields(messageId)),
    tlv(TLV.messageState, Uint8Array.of(messageState)),
  )
}

function receiptText({ messageId, submittedAt, doneAt, stat, errorCode, text }: Receipt): string {
  const delivered = stat === 'DELIVRD' ? '001' : '000'
  return [
    `id:${messageId} sub:001 dlvrd:${delivered}`,
    `submit date:${minute(submittedAt)} done date:${minute(doneAt)}`,
    `stat:${stat} err:${String(errorCode).padStart(3, '0')} text:${text}`,
  ].join(' ')
}

/** Returns the beginning of a text. Keeps only characters that have the same code in every alphabet. */
export function receiptExcerpt(text: string): string {
  return [...text]
    .slice(0, TEXT_CHARACTERS)
    .map((char) => (/^[ !"#%-?A-Za-z]$/.test(char) ? char : '?'))
    .join('')
}

/** YYMMDDhhmm, in UTC. */
function minute(at: number): string {
  return writeSmppTime(at).slice(0, 10)
}
