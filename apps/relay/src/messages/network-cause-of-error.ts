import { causeOfNetworkCode, type NetworkCause, reportCode } from '@smsgw/contract/messages/network-cause'

/**
 * Returns the number from the network in the error of a recipient, and its meaning. Agents of all releases write the
 * number into the error: `(CMS 38)` for a refusal, `(TP-ST 0x43)` for a delivery report. Older agents write
 * `(TP-ST 43)`.
 */
export function networkCauseOf({ error, errorCode }: RecipientError): NetworkCauseMembers {
  if (error === null || errorCode === null || !namesNetworkCode.has(errorCode)) return {}
  const [, refusal, report] = /\(((?:CMS|CME|HILINK) \d{1,6})\)|\(TP-ST (?:0x)?([0-9A-Fa-f]{2})\)/.exec(error) ?? []
  const networkCode = report === undefined ? refusal : reportCode(Number.parseInt(report, 16))
  if (networkCode === undefined) return {}
  const cause = causeOfNetworkCode(networkCode)
  return { networkCode, ...(cause !== undefined && { cause }) }
}

interface RecipientError {
  readonly error: string | null
  readonly errorCode: string | null
}

interface NetworkCauseMembers {
  readonly networkCode?: string
  readonly cause?: NetworkCause
}

/**
 * The failures whose error contains a number from the network. Other errors contain text from a phone or a person,
 * which may look like such a number.
 */
const namesNetworkCode: ReadonlySet<string> = new Set([
  'refused',
  'report_failed',
  'gave_up',
  'submit_unknown',
  'retrying',
])
