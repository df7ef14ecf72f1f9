import { crashPoint } from '@smsgw/daemon/crash-point'
import { textFromAddress } from '@smsgw/sms/fields/address'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change } from '../../journal/change.ts'
import type { Journal } from '../../journal/journal.ts'
import type { CommandRecord } from '../../journal/read.ts'
import type { TrustedTime } from '../../time/trusted-time.ts'
import type { OutgoingMessage } from '../message/message.ts'
import type { SendingInput, SendingState } from '../sending-state.ts'
import { RecentlySent } from './recently-sent.ts'
import { matchReport, mayBeAboutAnother, mayBeUnwritten, suspectOf } from './status-reports.ts'

export interface ReportTakerOptions {
  readonly journal: Journal
  readonly time: TrustedTime
  readonly state: () => SendingState
  /** Resolves when the writes that the input caused are on disk. */
  readonly step: (input: SendingInput) => Promise<void>
  /** Returns undefined for a tombstone. */
  readonly restored: (record: CommandRecord) => OutgoingMessage | undefined
}

/** Finds the part that a status report is about: among the messages that were just sent, otherwise in the journal. */
export class ReportTaker {
  readonly #options: ReportTakerOptions
  readonly #recentlySent = new RecentlySent()
  /**
   * Reports are matched one after the other. Otherwise, two reports about one message could both be handled as if the
   * message was not delivered yet.
   */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ReportTakerOptions) {
    this.#options = options
  }

  messageSent(message: OutgoingMessage): void {
    this.#recentlySent.add(message, this.#options.time.stamp())
  }

  /**
   * Returns undefined if the report has to be compared with the journal. Otherwise writes the result and the change
   * from `received` to the journal together.
   */
  takeRecent(iccid: string, report: StatusReport, received?: () => Change): Promise<void> | undefined {
    const { state, step, time } = this.#options
    if (suspectOf(state(), iccid, report, time.stamp()) !== undefined) return undefined
    const message = this.#recentlySent.take(iccid, report)
    if (message === undefined) return undefined
    crashPoint('report-arrived')
    const together = received === undefined ? [] : [received()]
    const taken = step({ kind: 'part-reported', message, at: 0, status: report.status, together })
    // Discards the result, because each promise would keep the previous one in memory.
    this.#last = Promise.allSettled([this.#last, taken]).then(() => undefined)
    return taken.then(() => crashPoint('report-journaled'))
  }

  async take(iccid: string, report: StatusReport): Promise<boolean> {
    const recent = this.takeRecent(iccid, report)
    if (recent !== undefined) return recent.then(() => true)
    crashPoint('report-arrived')
    const isMatched = await this.#inTurn(iccid, report)
    crashPoint('report-journaled')
    return isMatched
  }

  #inTurn(iccid: string, report: StatusReport): Promise<boolean> {
    this.#recentlySent.forget(iccid, report)
    const taken = this.#last.then(() => this.#compareWithJournal(iccid, report))
    this.#last = taken.catch(() => undefined)
    return taken
  }

  async #compareWithJournal(iccid: string, report: StatusReport): Promise<boolean> {
    const { journal, restored, state, step, time } = this.#options
    const number = textFromAddress(report.recipient)
    const reference = report.messageReference
    // All checks use the same stamp. Otherwise, if the time became known between two checks, the second check could
    // find a suspect that the first check did not examine.
    const now = time.stamp()
    // Checks the state first and reads the journal afterwards. In the other order, a result that is written between the
    // two would be missed.
    const isUnwritten = mayBeUnwritten(state(), iccid, report, now)
    const suspect = isUnwritten ? undefined : suspectOf(state(), iccid, report, now)
    // Runs this query, which reads every attempt without a reference, only if a part in doubt could match the report.
    const isAmbiguous =
      suspect === undefined ||
      mayBeAboutAnother(await journal.read('commands-without-reference', { iccid, number }), suspect, report, now)
    const records = await journal.read('commands-by-reference', { iccid, reference, number })
    const match = matchReport(state(), iccid, report, { records, isAmbiguous }, now)
    if (match === undefined) return false
    const { at } = match
    if (match.kind === 'proves') {
      await step({ kind: 'doubt-proved', cmdId: match.cmdId, at, report })
      return true
    }
    const message = restored(match.record)
    if (message === undefined) return false
    await step({ kind: 'part-reported', message, at, status: report.status })
    return true
  }
}
