import type { RawStatements } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'

export interface JournalMark {
  readonly deviceId: string
  readonly journalId: string
  readonly mark: number
  readonly tag: string | undefined
}

/** Writes the marks of journals. The caller holds the locks of the journals. */
export async function writeMarks(statements: RawStatements, marks: readonly JournalMark[]): Promise<void> {
  if (marks.length === 0) return
  await statements.$executeRaw`
    UPDATE device_journals j SET mark = m.mark, mark_tag = m.tag
    FROM unnest(
      ${marks.map(({ deviceId }) => deviceId)}::text[], ${marks.map(({ journalId }) => journalId)}::text[],
      ${marks.map(({ mark }) => mark)}::bigint[], ${marks.map(({ tag }) => (tag === undefined ? null : storableText(tag)))}::text[]
    ) AS m (device_id, journal_id, mark, tag)
    WHERE j.device_id = m.device_id AND j.journal_id = m.journal_id`
}
