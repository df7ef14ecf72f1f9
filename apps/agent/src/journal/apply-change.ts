import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Change, Json, Slot, Stamp } from './change.ts'
import { defineForgetting, undatedMs } from './retention.ts'

/**
 * A change as the journal's thread receives it. An event is already encoded as text, because the link sends the same
 * text.
 */
export type EncodedChange =
  | Exclude<Change, { readonly kind: 'event' }>
  | { readonly kind: 'event'; readonly text: string }

export function encodedChange(change: Change): EncodedChange {
  return change.kind === 'event' ? { kind: 'event', text: JSON.stringify(change.event) } : change
}

/** The result of one write. */
export interface WrittenChanges {
  /** The numbers of the events among the changes, in order. */
  readonly seqs: readonly number[]
  /** The random tags of these events. */
  readonly tags: readonly string[]
  /** The ids of the received commands that the journal did not have yet. */
  readonly fresh: readonly string[]
  /** True if nothing was written, because the journal had the PDU of `unlessReceived`. */
  readonly wasReceived?: boolean
}

/**
 * Writes changes into an open transaction: call `write` for each list, then `finish`. After a rollback call `forget`.
 */
export class ChangeWriter {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #nowMs: () => number | undefined
  readonly #newTag: () => string
  /** The number of the next event; undefined until the number is read from the database. */
  #nextSeq: number | undefined

  /** `nowMs` returns undefined while the clock is not trusted. */
  constructor(database: DatabaseSync, nowMs: () => number | undefined, newTag: () => string) {
    this.#database = database
    defineForgetting(database)
    this.#nowMs = nowMs
    this.#newTag = newTag
  }

  finish(): void {
    this.#run('UPDATE journal SET next_seq = ?, commits = commits + 1', this.#next())
  }

  forget(): void {
    this.#nextSeq = undefined
  }

  /** @param unlessReceived the id of a PDU; if the journal has it, nothing is written */
  write(changes: readonly EncodedChange[], unlessReceived?: string): WrittenChanges {
    const written = { seqs: [], tags: [], fresh: [] }
    if (unlessReceived !== undefined && this.#hasReceived(unlessReceived)) return { ...written, wasReceived: true }
    for (const change of changes) this.#apply(change, written)
    return written
  }

  #apply(change: EncodedChange, written: { seqs: number[]; tags: string[]; fresh: string[] }): void {
    switch (change.kind) {
      case 'command-received':
        if (this.#receive(change)) written.fresh.push(change.command.cmdId)
        break
      case 'tombstone':
        this.#run(
          `INSERT INTO commands (cmd_id, received, received_ms, outcome, ended_ms) VALUES (?, ?, ?, 'cancelled', ?)
           ON CONFLICT DO NOTHING`,
          change.cmdId,
          JSON.stringify(change.at),
          change.at.wallMs,
          dateOf(change.at),
        )
        break
      case 'command-planned':
        this.#one('UPDATE commands SET plan = ? WHERE cmd_id = ?', JSON.stringify(change.plan), change.cmdId)
        break
      case 'command-noted':
        this.#one('UPDATE commands SET note = ? WHERE cmd_id = ?', JSON.stringify(change.note), change.cmdId)
        break
      case 'command-ended':
        this.#one(
          `UPDATE commands SET outcome = ?, ended_ms = ?, command = without_content(command), plan = without_pdus(plan)
           WHERE cmd_id = ?`,
          change.outcome,
          dateOf(change.at),
          change.cmdId,
        )
        break
      case 'command-corrected':
        this.#one('UPDATE commands SET outcome = ? WHERE cmd_id = ?', change.outcome, change.cmdId)
        break
      case 'part-committed':
        this.#run(
          `INSERT INTO attempts (cmd_id, part, attempt, committed, evidence) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET committed = excluded.committed, evidence = excluded.evidence`,
          ...attemptKey(change),
          JSON.stringify(change.at),
          json(change.evidence),
        )
        break
      // COMMIT and RESULT of an attempt may arrive in any order, and neither overwrites the other.
      case 'part-result':
        this.#run(
          `INSERT INTO attempts (cmd_id, part, attempt, result, result_at, reference, code) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET result = excluded.result, result_at = excluded.result_at,
             reference = excluded.reference, code = excluded.code`,
          ...attemptKey(change),
          change.result,
          JSON.stringify(change.at),
          change.reference ?? null,
          change.code ?? null,
        )
        break
      case 'part-reported':
        this.#run(
          'INSERT INTO reports (cmd_id, part, status, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
          change.cmdId,
          change.part,
          change.status,
          JSON.stringify(change.at),
        )
        break
      case 'inbound-received':
        this.#run(
          `INSERT INTO inbound (pdu_id, arrival, iccid, sim_number, pdu, received, received_ms, memory, slot_index, detail,
             settled)
           VALUES (?, (SELECT coalesce(max(arrival), 0) + 1 FROM inbound), ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (pdu_id) DO NOTHING`,
          change.pduId,
          change.iccid,
          change.simNumber,
          change.pdu,
          JSON.stringify(change.at),
          dateOf(change.at),
          ...place(change.slot),
          json(change.detail),
          change.settled ?? null,
        )
        break
      case 'inbound-slot':
        this.#one('UPDATE inbound SET memory = ?, slot_index = ? WHERE pdu_id = ?', ...place(change.slot), change.pduId)
        break
      case 'inbound-settled':
        this.#one(
          'UPDATE inbound SET settled = ?, detail = coalesce(?, detail), received_ms = coalesce(?, received_ms) WHERE pdu_id = ?',
          change.as,
          json(change.detail),
          change.datedMs ?? null,
          change.pduId,
        )
        break
      case 'inbound-forgotten':
        this.#one(
          "UPDATE inbound SET pdu = '', detail = json_patch(coalesce(detail, '{}'), ?) WHERE pdu_id = ?",
          JSON.stringify(change.remains ?? {}),
          change.pduId,
        )
        break
      case 'event': {
        const { seq, tag } = this.#append(change.text)
        written.seqs.push(seq)
        written.tags.push(tag)
        break
      }
      case 'mark-recorded':
        this.#run('UPDATE journal SET mark = ?, stream_id = ?', change.mark, change.streamId)
        break
      case 'journal-renounced':
        this.#renounce(change.journalId, change.provenMark)
        break
      case 'note':
        if (change.value === null) this.#run('DELETE FROM notes WHERE name = ?', change.name)
        else {
          this.#run(
            'INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
            change.name,
            JSON.stringify(change.value),
          )
        }
        break
    }
  }

  #hasReceived(pduId: string): boolean {
    return this.#statement('SELECT 1 FROM inbound WHERE pdu_id = ?').get(pduId) !== undefined
  }

  /** Returns true if the command is new: the journal had neither the command nor its tombstone. */
  #receive({ command, at }: Extract<Change, { readonly kind: 'command-received' }>): boolean {
    const changes = this.#run(
      'INSERT INTO commands (cmd_id, command, received, received_ms) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      command.cmdId,
      JSON.stringify(command),
      JSON.stringify(at),
      at.wallMs,
    )
    return changes > 0
  }

  #append(event: string): { readonly seq: number; readonly tag: string } {
    const seq = this.#next()
    this.#nextSeq = seq + 1
    const tag = this.#newTag()
    const values = [seq, event, tag, this.#nowMs() ?? undatedMs]
    this.#run('INSERT INTO events (seq, event, tag, written_ms) VALUES (?, ?, ?, ?)', ...values)
    return { seq, tag }
  }

  #next(): number {
    this.#nextSeq ??= Number(this.#statement('SELECT next_seq FROM journal').get()?.['next_seq'])
    return this.#nextSeq
  }

  #renounce(journalId: string, provenMark: number): void {
    const unproven = this.#statement('SELECT event FROM events WHERE seq > ? ORDER BY seq').all(provenMark)
    this.#run('DELETE FROM events')
    this.#run('UPDATE journal SET replaces = id, id = ?, mark = 0, stream_id = NULL', journalId)
    this.#nextSeq = 1
    for (const { event } of unproven) this.#append(String(event))
  }

  #run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /**
   * Runs a statement that must change a row. A missing row means an error in the caller. In that case, throws, so that
   * the caller's write is rolled back.
   */
  #one(sql: string, ...values: (string | number | null)[]): void {
    if (this.#run(sql, ...values) !== 1) throw new Error(`the journal has no record for ${String(values.at(-1))}`)
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}

function dateOf({ trusted, wallMs }: Stamp): number {
  return trusted ? wallMs : undatedMs
}

function attemptKey({ cmdId, part, attempt }: { cmdId: string; part: number; attempt: number }) {
  return [cmdId, part, attempt] as const
}

function place(slot: Slot | null | undefined): [string | null, number | null] {
  return [slot?.memory ?? null, slot?.index ?? null]
}

function json(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
