import type { StatusReport } from '@smsgw/sms/status-report'
import type { InboundRecord } from '../journal/read.ts'

export interface WaitingReport {
  readonly row: InboundRecord
  readonly report: StatusReport
}

/** Status reports that fit nothing yet. A flood of them pushes out the oldest; the journal has those all the same. */
export class UnmatchedReports {
  readonly #reports = new Map<string, WaitingReport>()

  get size(): number {
    return this.#reports.size
  }

  add(waiting: WaitingReport): void {
    this.#reports.set(waiting.row.pduId, waiting)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > mostReports && oldest !== undefined) this.#reports.delete(oldest)
  }

  remove({ pduId }: InboundRecord): void {
    this.#reports.delete(pduId)
  }

  /** `any`: a report may be evidence for a part whose reference nobody knows. */
  fitting(references: ReadonlySet<number | 'any'>): readonly WaitingReport[] {
    const all = [...this.#reports.values()]
    if (references.has('any')) return all
    return all.filter(({ report }) => references.has(report.messageReference))
  }
}

const mostReports = 10_000
