// The queries of the journal. Most of them run at the start; later only lookups and reads of the outbox run.

import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { SendCommand } from '@smsgw/contract/link/command'
import type { AgentEvent } from '@smsgw/contract/link/event'
import type { JournaledEvent } from '@smsgw/link/events/event-outbox'
import { significantPart } from '../sending/doubt/numbers-match.ts'
import type { CommandOutcome, Json, PartResult, Plan, Slot, Stamp } from './change.ts'

export interface Reads {
  /** Returns the commands without an outcome, in the order of arrival. */
  'open-commands': { readonly ask: Record<never, never>; readonly answer: readonly CommandRecord[] }
  command: { readonly ask: { readonly cmdId: string }; readonly answer: CommandRecord | undefined }
  /** Returns the commands to this number, newest first, for which this SIM sent a part with this reference. */
  'commands-by-reference': {
    readonly ask: { readonly iccid: string; readonly reference: number; readonly number: string }
    readonly answer: readonly CommandRecord[]
  }
  /**
   * Returns the commands to this number with a part that this SIM sent, or may have sent, without a known reference.
   * Searches all attempts.
   */
  'commands-without-reference': {
    readonly ask: { readonly iccid: string; readonly number: string }
    readonly answer: readonly CommandRecord[]
  }
  /** Returns the commands that ended as `submit_unknown`, which later evidence may correct. */
  'doubtful-commands': { readonly ask: { readonly sinceMs: number }; readonly answer: readonly CommandRecord[] }
  /** Returns the wall times at which the SIM began to send its messages, oldest first. */
  'sent-lately': {
    readonly ask: { readonly iccid: string; readonly sinceMs: number }
    readonly answer: readonly number[]
  }
  /** Returns the received PDUs in the order of arrival. */
  inbound: { readonly ask: { readonly sinceMs: number }; readonly answer: readonly InboundRecord[] }
  /** Returns the PDUs that are not processed yet, and the reports that matched nothing, in the order of arrival. */
  'inbound-waiting': { readonly ask: Record<never, never>; readonly answer: readonly InboundRecord[] }
  'inbound-by-id': { readonly ask: { readonly pduId: string }; readonly answer: InboundRecord | undefined }
  events: { readonly ask: { readonly after: number; readonly most: number }; readonly answer: readonly NumberedEvent[] }
  /** Returns the stored events from number `from` on. Removed events are missing from the list. */
  'event-texts': { readonly ask: { readonly from: number; readonly most: number }; readonly answer: EventTexts }
  'event-tag': { readonly ask: { readonly seq: number }; readonly answer: string | undefined }
  notes: { readonly ask: Record<never, never>; readonly answer: Readonly<Record<string, Json>> }
  marks: { readonly ask: Record<never, never>; readonly answer: Marks }
}

export interface CommandRecord {
  readonly cmdId: string
  /** Undefined in a tombstone. */
  readonly command: SendCommand | undefined
  readonly received: Stamp
  readonly plan: Plan | undefined
  readonly note: Json | undefined
  readonly outcome: CommandOutcome | undefined
  readonly attempts: readonly AttemptRecord[]
  readonly reports: readonly { readonly part: number; readonly status: number; readonly at: Stamp }[]
}

export interface AttemptRecord {
  readonly part: number
  readonly attempt: number
  readonly committed: Stamp | undefined
  readonly evidence: Json | undefined
  /** Undefined if the part has no result. If `committed` is set, a part without a result is in doubt. */
  readonly result: PartResult | undefined
  readonly resultAt: Stamp | undefined
  readonly reference: number | undefined
  readonly code: string | undefined
}

export interface InboundRecord {
  readonly pduId: string
  readonly iccid: string
  readonly simNumber: number
  readonly pdu: string
  readonly received: Stamp
  /** The wall time, or `undatedMs` while it is unknown. */
  readonly receivedMs: number
  readonly slot: Slot | undefined
  /** The result of the PDU; undefined until the PDU is processed. */
  readonly settled: string | undefined
  readonly detail: Json | undefined
}

export interface NumberedEvent {
  readonly seq: number
  readonly event: AgentEvent
}

/**
 * Consecutive events. `from` is the number of the first event; it is higher than requested if retention removed some
 * events.
 */
export interface EventTexts {
  readonly from: number
  readonly events: readonly JournaledEvent[]
}

export interface Marks {
  readonly journalId: string
  readonly replaces: string | undefined
  readonly streamId: string | undefined
  /** The number of the oldest event; `tail` + 1 when there is none. */
  readonly first: number
  /** The number of the last event; 0 when there was none. */
  readonly tail: number
  /** The last event that the relay is known to have stored. */
  readonly mark: number
  readonly openCommands: number
}

type Answers = { readonly [Kind in keyof Reads]: (ask: Reads[Kind]['ask']) => Reads[Kind]['answer'] }

export function readsOf(database: DatabaseSync): Answers {
  database.function('significant_part', { deterministic: true }, (number) => significantPart(String(number)))
  // Preparing a statement usually takes longer than running it, so prepared statements are kept.
  const statements = new Map<string, StatementSync>()
  const all = (sql: string, ...values: (string | number)[]) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement.all(...values) as Row[]
  }
  const commands = (where: string, ...values: (string | number)[]) =>
    all(`SELECT * FROM commands WHERE ${where}`, ...values).map((row) => commandRecord(row, all))
  const inbound = (where: string, ...values: (string | number)[]) =>
    all(`SELECT * FROM inbound WHERE ${where}`, ...values).map(inboundRecord)
  return {
    'open-commands': () => commands('outcome IS NULL ORDER BY received_ms, cmd_id'),
    command: ({ cmdId }) => commands('cmd_id = ?', cmdId)[0],
    'commands-by-reference': ({ iccid, reference, number }) =>
      commands(
        `cmd_id IN (SELECT cmd_id FROM attempts WHERE reference = ?) AND plan ->> 'iccid' = ?
           AND significant_part(plan ->> 'destination') = ? ORDER BY received_ms DESC`,
        reference,
        iccid,
        significantPart(number),
      ),
    'commands-without-reference': ({ iccid, number }) =>
      commands(
        `cmd_id IN (SELECT cmd_id FROM attempts WHERE committed IS NOT NULL AND reference IS NULL
             AND coalesce(result, 'unknown') IN ('accepted', 'unknown'))
           AND plan ->> 'iccid' = ? AND significant_part(plan ->> 'destination') = ?`,
        iccid,
        significantPart(number),
      ),
    'doubtful-commands': ({ sinceMs }) =>
      commands(
        `outcome = 'failed' AND ended_ms >= ? AND EXISTS (SELECT 1 FROM attempts WHERE attempts.cmd_id = commands.cmd_id
           AND committed IS NOT NULL AND (result IS NULL OR result = 'unknown')) ORDER BY ended_ms`,
        sinceMs,
      ),
    'sent-lately': ({ iccid, sinceMs }) =>
      all(
        `SELECT committed ->> 'wallMs' AS ms FROM attempts JOIN commands USING (cmd_id)
         WHERE part = 1 AND received_ms >= ?1 - 604800000 AND committed ->> 'wallMs' >= ?1
           AND plan ->> 'iccid' = ?2 AND coalesce(result, 'unknown') IN ('accepted', 'unknown') ORDER BY ms`,
        sinceMs,
        iccid,
      ).map((row) => Number(row['ms'])),
    inbound: ({ sinceMs }) => inbound('received_ms >= ? OR settled IS NULL ORDER BY arrival', sinceMs),
    'inbound-waiting': () => inbound("settled IS NULL OR settled = 'unmatched' ORDER BY arrival"),
    'inbound-by-id': ({ pduId }) => inbound('pdu_id = ?', pduId)[0],
    events: ({ after, most }) =>
      all('SELECT seq, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?', after, most).map((row) => ({
        seq: Number(row['seq']),
        event: JSON.parse(String(row['event'])),
      })),
    notes: () =>
      Object.fromEntries(all('SELECT name, value FROM notes').map((row) => [row['name'], parsed(row['value'])])),
    'event-texts': ({ from, most }) => {
      const rows = all('SELECT seq, event, tag FROM events WHERE seq >= ? ORDER BY seq LIMIT ?', from, most)
      return {
        from: Number(rows[0]?.['seq'] ?? from),
        events: rows.map((row) => ({ text: String(row['event']), tag: String(row['tag']) })),
      }
    },
    'event-tag': ({ seq }) => {
      const [row] = all('SELECT tag FROM events WHERE seq = ?', seq)
      return row === undefined ? undefined : String(row['tag'])
    },
    marks: () => {
      const [row] = all(
        `SELECT *, (SELECT count(*) FROM commands WHERE outcome IS NULL) AS open_commands,
           coalesce((SELECT min(seq) FROM events), next_seq) AS first FROM journal`,
      )
      return {
        journalId: String(row?.['id']),
        replaces: textOr(row?.['replaces']),
        streamId: textOr(row?.['stream_id']),
        first: Number(row?.['first']),
        tail: Number(row?.['next_seq']) - 1,
        mark: Number(row?.['mark']),
        openCommands: Number(row?.['open_commands']),
      }
    },
  }
}

function textOr(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

type Row = Record<string, SQLOutputValue>
type All = (sql: string, ...values: (string | number)[]) => Row[]

function commandRecord(row: Row, all: All): CommandRecord {
  const cmdId = String(row['cmd_id'])
  return {
    cmdId,
    command: parsed(row['command']),
    received: JSON.parse(String(row['received'])),
    plan: parsed(row['plan']),
    note: parsed(row['note']),
    outcome: (row['outcome'] ?? undefined) as CommandOutcome | undefined,
    attempts: all('SELECT * FROM attempts WHERE cmd_id = ? ORDER BY part, attempt', cmdId).map(attemptRecord),
    reports: all('SELECT * FROM reports WHERE cmd_id = ? ORDER BY part, status', cmdId).map((report) => ({
      part: Number(report['part']),
      status: Number(report['status']),
      at: JSON.parse(String(report['at'])),
    })),
  }
}

function attemptRecord(row: Row): AttemptRecord {
  return {
    part: Number(row['part']),
    attempt: Number(row['attempt']),
    committed: parsed(row['committed']),
    evidence: parsed(row['evidence']),
    result: (row['result'] ?? undefined) as PartResult | undefined,
    resultAt: parsed(row['result_at']),
    reference: row['reference'] === null ? undefined : Number(row['reference']),
    code: row['code'] === null ? undefined : String(row['code']),
  }
}

function inboundRecord(row: Row): InboundRecord {
  return {
    pduId: String(row['pdu_id']),
    iccid: String(row['iccid']),
    simNumber: Number(row['sim_number']),
    pdu: String(row['pdu']),
    received: JSON.parse(String(row['received'])),
    receivedMs: Number(row['received_ms']),
    slot: row['memory'] === null ? undefined : { memory: String(row['memory']), index: Number(row['slot_index']) },
    settled: row['settled'] === null ? undefined : String(row['settled']),
    detail: parsed(row['detail']),
  }
}

function parsed<T>(value: SQLOutputValue | undefined): T | undefined {
  return value === null || value === undefined ? undefined : (JSON.parse(String(value)) as T)
}
