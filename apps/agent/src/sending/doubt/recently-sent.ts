import { textFromAddress } from '@smsgw/sms/fields/address'
import { epochMsFromTimeStamp, isValidTimeStamp } from '@smsgw/sms/fields/time-stamp'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Stamp } from '../../journal/change.ts'
import type { OutgoingMessage } from '../message/message.ts'
import { numbersMatch } from './numbers-match.ts'

/**
 * The last sent messages that have one part and no status report yet, by SIM and reference. Most reports are about one
 * of these messages, and are matched without reading the journal.
 *
 * A match is certain: same SIM, reference and number, and the time stamp in the report lies between the start and the
 * end of sending the part. All other reports are compared with the journal. A message is removed with its first report,
 * because further reports depend on the first report, which is then in the journal.
 */
export class RecentlySent {
  readonly #messages = new Map<string, { readonly message: OutgoingMessage; readonly sentMs: number }>()

  add(message: OutgoingMessage, now: Stamp): void {
    const [part] = message.parts
    const { plan } = message
    if (message.parts.length !== 1 || part?.reference === undefined || plan === undefined) return
    if (!plan.requestsReport || part.reports.size > 0 || !now.trusted || part.committed?.trusted !== true) return
    const name = nameOf(plan.iccid, part.reference)
    this.#messages.delete(name)
    this.#messages.set(name, { message, sentMs: now.wallMs })
    const [oldest] = this.#messages.keys()
    if (this.#messages.size > mostMessages && oldest !== undefined) this.#messages.delete(oldest)
  }

  /** Returns undefined if the journal has to be read. */
  find(iccid: string, report: StatusReport): OutgoingMessage | undefined {
    const { messageReference, recipient, serviceCentreTimeStamp } = report
    const found = this.#messages.get(nameOf(iccid, messageReference))
    const committedMs = found?.message.parts[0]?.committed?.wallMs
    if (found === undefined || committedMs === undefined || !isValidTimeStamp(serviceCentreTimeStamp)) return undefined
    const { message, sentMs } = found
    if (!numbersMatch(message.plan?.destination ?? '', textFromAddress(recipient))) return undefined
    const stampMs = epochMsFromTimeStamp(serviceCentreTimeStamp)
    return stampMs < committedMs - stampResolutionMs || stampMs > sentMs ? undefined : message
  }

  take(iccid: string, report: StatusReport): OutgoingMessage | undefined {
    const message = this.find(iccid, report)
    if (message !== undefined) this.forget(iccid, report)
    return message
  }

  /** After this call, reports with this reference are compared with the journal. */
  forget(iccid: string, { messageReference }: StatusReport): void {
    this.#messages.delete(nameOf(iccid, messageReference))
  }
}

function nameOf(iccid: string, reference: number): string {
  return `${iccid} ${reference}`
}

const mostMessages = 512
const stampResolutionMs = 1000
