import type { EmittedEvent } from '@smsgw/contract/webhooks/webhook-event'

/** Kannel's delivery report types. Each is a bit of `dlr-mask`. */
const dlrTypes = { delivered: 1, undelivered: 2, sent: 8, refused: 16 } as const

/** Returns the type of Kannel's report about an event, or undefined if Kannel has no such report. */
export function dlrType(event: EmittedEvent, wasSent: boolean): number | undefined {
  switch (event) {
    case 'sms:sent':
      return dlrTypes.sent
    case 'sms:delivered':
      return dlrTypes.delivered
    case 'sms:failed':
      return wasSent ? dlrTypes.undelivered : dlrTypes.refused
    case 'sms:cancelled':
      return dlrTypes.refused
    default:
      return undefined
  }
}

/** Facts about a sent message for requests in Kannel's format. */
export interface KannelFacts {
  readonly dlrUrl: string
  readonly type: number
}

/** A delivery to a webhook in Kannel's format. */
interface KannelDelivery {
  readonly deviceId: string
  readonly payload: unknown
  /** URL of the webhook. */
  readonly url: string
}

/** The members of payloads that requests in Kannel's format use. */
interface Payload {
  readonly messageId: string
  readonly sender: string
  readonly recipient: string
  readonly reason?: string
  readonly sentAt?: string
  readonly deliveredAt?: string
  readonly failedAt?: string
  readonly cancelledAt?: string
  readonly kannel?: KannelFacts
}

/** Returns the `dlr-url` of the message with its placeholders replaced, or the URL of the webhook for a test. */
export function kannelUrl({ deviceId, payload, url }: KannelDelivery): string {
  const { kannel, messageId, sender, recipient, reason = '', ...times } = payload as Payload
  if (kannel === undefined) return url
  const at = new Date(times.deliveredAt ?? times.failedAt ?? times.cancelledAt ?? times.sentAt ?? 0)
  const answer = answerOf(kannel.type, reason)
  const values: Readonly<Record<string, string>> = {
    '%': '%',
    d: String(kannel.type),
    // The recipient counts as the sender, because the recipient's phone sends the report.
    p: recipient,
    P: sender,
    q: withPlus(recipient),
    Q: withPlus(sender),
    a: answer,
    A: answer,
    t: at.toISOString().slice(0, 16).replace('T', ' '),
    T: String(Math.floor(at.getTime() / 1_000)),
    i: deviceId,
    I: messageId,
    F: messageId,
  }
  // Keeps the origin unchanged, because the webhook of this origin delivers the report.
  const [, origin = '', rest = ''] = /^([^:]+:\/\/[^/?#]*)(.*)$/s.exec(kannel.dlrUrl) ?? []
  return (
    origin +
    rest.replace(PLACEHOLDER, (_, name: string) =>
      name === '%' ? '%' : encodeURIComponent((values[name] ?? '').toWellFormed()),
    )
  )
}

/** Placeholders of Kannel. Placeholders without a value are replaced with an empty text. */
const PLACEHOLDER = /%([dpPqQaAtTiIFkKsSrRbnNcmCuDoOfB%])/g

/** Returns the answer of the SMSC in the words of Kannel. */
function answerOf(type: number, reason: string): string {
  switch (type) {
    case dlrTypes.sent:
      return 'ACK/'
    case dlrTypes.delivered:
      return 'DELIVRD'
    default:
      return `NACK/${reason}`
  }
}

function withPlus(number: string): string {
  return number.replace(/^00/, '+')
}
