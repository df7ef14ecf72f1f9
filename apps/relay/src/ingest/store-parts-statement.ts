import type { RawStatements } from '../store/raw-statements.ts'
import { storableText } from '../store/storable.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import type { SendEvent } from './store-progress.ts'

export type PartEvent = Extract<SendEvent, { readonly kind: 'part-submitted' | 'part-reported' }>

/**
 * Stores the outcomes of the parts of messages. An unknown outcome does not replace a known outcome, and a status
 * report proves that the part was accepted. The caller holds the locks of the recipients.
 */
export async function storeParts(statements: RawStatements, events: readonly PartEvent[], now: Date): Promise<void> {
  if (events.length === 0) return
  // Merges the outcomes of each part, because PostgreSQL refuses a statement that updates a row twice.
  const rows = [...Map.groupBy(events, ({ cmdId, part }) => `${part} ${cmdId}`).values()].map(
    (ofPart): PartRow => Object.assign(emptyRow(ofPart[0] as PartEvent), ...ofPart.map((event) => factsOf(event, now))),
  )
  const column = <T>(pick: (row: PartRow) => T) => rows.map(pick)
  await statements.$executeRaw`
    INSERT INTO parts AS p (cmd_id, index, reference, result, result_code,
      result_words, result_advice, submitted_at, report_status, report_text,
      reported_at)
    SELECT * FROM unnest(
      ${column(({ cmdId }) => cmdId)}::text[], ${column(({ index }) => index)}::smallint[],
      ${column(({ reference }) => reference)}::int[], ${column(({ result }) => result)}::text[],
      ${column(({ resultCode }) => resultCode)}::text[], ${column(({ resultWords }) => resultWords)}::text[],
      ${column(({ resultAdvice }) => resultAdvice)}::text[], ${column(({ submittedAt }) => submittedAt)}::timestamptz[],
      ${column(({ reportStatus }) => reportStatus)}::int[], ${column(({ reportText }) => reportText)}::text[],
      ${column(({ reportedAt }) => reportedAt)}::timestamptz[]
    )
    ON CONFLICT (cmd_id, index) DO UPDATE SET
      reference = coalesce(excluded.reference, p.reference),
      result = CASE WHEN excluded.result = 'unknown' THEN p.result ELSE excluded.result END,
      result_code = coalesce(excluded.result_code, p.result_code),
      result_words = coalesce(excluded.result_words, p.result_words),
      result_advice = coalesce(excluded.result_advice, p.result_advice),
      submitted_at = coalesce(p.submitted_at, excluded.submitted_at),
      report_status = coalesce(excluded.report_status, p.report_status),
      report_text = coalesce(excluded.report_text, p.report_text),
      reported_at = coalesce(excluded.reported_at, p.reported_at)`
}

interface PartRow {
  readonly cmdId: string
  readonly index: number
  readonly reference: number | null
  readonly result: string
  readonly resultCode: string | null
  readonly resultWords: string | null
  readonly resultAdvice: string | null
  readonly submittedAt: Date | null
  readonly reportStatus: number | null
  readonly reportText: string | null
  readonly reportedAt: Date | null
}

function emptyRow({ cmdId, part }: PartEvent): PartRow {
  const nothing = { reference: null, resultCode: null, resultWords: null, resultAdvice: null, submittedAt: null }
  return { cmdId, index: part, result: 'unknown', ...nothing, reportStatus: null, reportText: null, reportedAt: null }
}

function factsOf(event: PartEvent, now: Date): Partial<PartRow> {
  const { at } = eventTime(event.at, now)
  if (event.kind === 'part-reported') {
    return { result: 'accepted', reportStatus: event.status, reportText: storableText(event.words), reportedAt: at }
  }
  const { reference, result, code, words, advice } = event
  return {
    submittedAt: at,
    ...(result !== 'unknown' && { result }),
    ...(reference !== undefined && { reference }),
    ...(code !== undefined && { resultCode: storableText(code) }),
    ...(words !== undefined && { resultWords: storableText(words) }),
    ...(advice !== undefined && { resultAdvice: storableText(advice) }),
  }
}
