import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Content is removed from the journal as soon as it is no longer needed. Of a message that has ended, only the data
 * that identifies reports, late answers and repetitions is kept: ids, references, and the phone number if a report may
 * arrive. Of a received message, only the id, a digest, is kept. The text of a received message is only in its event,
 * which is kept until the relay has stored it and HASH_AFTER_SECONDS have passed.
 */
export function defineForgetting(database: DatabaseSync): void {
  database.function('without_content', { deterministic: true }, (command) => {
    if (typeof command !== 'string') return null
    const { content: _, phoneNumber: __, ...rest } = JSON.parse(command)
    return JSON.stringify(rest)
  })
  database.function('without_pdus', { deterministic: true }, (plan) => {
    if (typeof plan !== 'string') return null
    const { parts, destination, ...rest } = JSON.parse(plan)
    return JSON.stringify({
      ...rest,
      destination: rest.requestsReport ? destination : '',
      parts: parts.map((part: object) => ({ ...part, pdu: '', ...('text' in part && { text: '' }) })),
    })
  })
}

/** Removes content that an older agent or an interrupted run left, and overwrites the freed space. */
export function forgetContentOfEnded(database: DatabaseSync): void {
  const cleaned = [
    `UPDATE commands SET command = without_content(command), plan = without_pdus(plan)
     WHERE outcome IS NOT NULL AND command ->> 'content' IS NOT NULL`,
    "UPDATE inbound SET pdu = '' WHERE settled IN ('emitted', 'copy', 'silent', 'report') AND pdu <> ''",
  ].map((sql) => Number(database.prepare(sql).run().changes))
  if (cleaned.some((rows) => rows > 0)) database.exec('VACUUM')
}

/** The ages at which records and content may be removed. */
export interface RetentionLimits {
  /** The time of day. While the clock is not trusted, it is undefined, and nothing is removed because of its age. */
  readonly nowMs: number | undefined
  /** How long finished commands, processed PDUs and acknowledged events are kept. */
  readonly recordsMs: number
  /**
   * How long the content of acknowledged events is kept. 0: the content is not kept at all, even if the clock is not
   * trusted. Undefined: kept as long as the event.
   */
  readonly contentMs?: number | undefined
}

export interface Removed {
  readonly commands: number
  readonly inbound: number
  readonly events: number
}

/**
 * The time of a record that was written while the clock was not trusted: the latest time that a Date can hold. The
 * clock of a Raspberry Pi starts in 1970, or at the time of its last shutdown, so a record dated by that clock would be
 * removed too early.
 */
export const undatedMs = 8_640_000_000_000_000

/** Removes old records. The content of events that the relay has stored is removed earlier. */
export class JournalRetention {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  /** The content of all events up to this number was removed. */
  #clearedUpTo = 0
  #journalId: unknown

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  apply({ nowMs, recordsMs, contentMs }: RetentionLimits): Removed {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      if (nowMs !== undefined) this.#date(nowMs)
      if (contentMs === 0) this.#clearEvents(Number.MAX_SAFE_INTEGER)
      else if (contentMs !== undefined && nowMs !== undefined) this.#clearEvents(nowMs - contentMs)
      const removed =
        nowMs === undefined ? { commands: 0, inbound: 0, events: 0 } : this.#removeRecords(nowMs - recordsMs)
      this.#database.exec('COMMIT')
      return removed
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  /**
   * Corrects the times of records. A record with a time in the future has no date, or was written before the clock was
   * set back. Such a record gets the current time, so that it is eventually removed, but not too early. Parts of long
   * messages keep their time, because joining them depends on it.
   */
  #date(nowMs: number): void {
    const run = (sql: string) => this.#statement(sql).run(nowMs)
    run('UPDATE events SET written_ms = ?1 WHERE written_ms > ?1')
    run('UPDATE commands SET ended_ms = ?1 WHERE outcome IS NOT NULL AND ended_ms > ?1')
    run("UPDATE inbound SET received_ms = ?1 WHERE received_ms > ?1 AND settled <> 'joined'")
  }

  /** Replaces the content of acknowledged events with a note, in case the relay requests these events again. */
  #clearEvents(writtenBeforeMs: number): void {
    const [journal] = this.#statement('SELECT id, mark FROM journal').all()
    const mark = Number(journal?.['mark'])
    if (journal?.['id'] !== this.#journalId) this.#clearedUpTo = 0
    this.#statement(
      `UPDATE events SET event = CASE event ->> 'kind'
           WHEN 'received' THEN json_object('kind', 'logged', 'at', event ->> 'receivedAt', 'module', 'receiving',
             'priority', 'WARN', 'message', 'SIM ' || (event ->> 'simNumber') ||
             ': a received message was reported to the relay; its content was removed after HASH_AFTER_SECONDS')
           ELSE json_remove(event, '$.text') END
         WHERE seq > ?1 AND seq <= ?2 AND written_ms < ?3 AND (event ->> 'kind' = 'received' OR
           event ->> 'kind' = 'ussd-answered' AND event ->> 'text' IS NOT NULL)`,
    ).run(this.#clearedUpTo, mark, writtenBeforeMs)
    const [kept] = this.#statement(
      'SELECT seq FROM events WHERE seq > ? AND seq <= ? AND +written_ms >= ? ORDER BY seq LIMIT 1',
    ).all(this.#clearedUpTo, mark, writtenBeforeMs)
    this.#journalId = journal?.['id']
    this.#clearedUpTo = kept === undefined ? Math.max(this.#clearedUpTo, mark) : Number(kept['seq']) - 1
  }

  /**
   * Removes records that ended, were processed or were acknowledged before this time. Keeps the record of a message
   * that is still on a SIM, because without the record the message would count as new when it is read again. Removes
   * the oldest events first, because the numbers of the remaining events must have no gaps.
   */
  #removeRecords(beforeMs: number): Removed {
    const run = (sql: string) => Number(this.#statement(sql).run(beforeMs).changes)
    const ended = 'SELECT cmd_id FROM commands WHERE outcome IS NOT NULL AND ended_ms < ?'
    run(`DELETE FROM attempts WHERE cmd_id IN (${ended})`)
    run(`DELETE FROM reports WHERE cmd_id IN (${ended})`)
    return {
      commands: run('DELETE FROM commands WHERE outcome IS NOT NULL AND ended_ms < ?'),
      inbound: run('DELETE FROM inbound WHERE settled IS NOT NULL AND memory IS NULL AND received_ms < ?'),
      events: run(`DELETE FROM events WHERE seq < coalesce(
        (SELECT seq FROM events WHERE +written_ms >= ?1 OR seq > (SELECT mark FROM journal) ORDER BY seq LIMIT 1),
        (SELECT next_seq FROM journal))`),
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
