import type { DatabaseSync } from 'node:sqlite'

/**
 * Content is removed from the journal as soon as it is not needed. A message that ended keeps what identifies reports, late
 * answers and repetitions: ids, references, and the number when a report may come. A received message keeps the digest
 * that is its id; its text is only in the event, until the relay has stored that and asks to forget it.
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
      parts: parts.map((part: object) => ({ ...part, pdu: '' })),
    })
  })
}

/** Cleans journals of older agents, or of interrupted runs. The freed space is overwritten. */
export function forgetContentOfEnded(database: DatabaseSync): void {
  const cleaned = [
    `UPDATE commands SET command = without_content(command), plan = without_pdus(plan)
     WHERE outcome IS NOT NULL AND command ->> 'content' IS NOT NULL`,
    "UPDATE inbound SET pdu = '' WHERE settled IN ('emitted', 'copy', 'silent', 'report') AND pdu <> ''",
  ].map((sql) => Number(database.prepare(sql).run().changes))
  if (cleaned.some((rows) => rows > 0)) database.exec('VACUUM')
}

/** Removes the content of events that the relay stored before a given time. A note replaces it, in case the relay asks again. */
export class EventContents {
  readonly #database: DatabaseSync
  /** Events up to this one have no content. */
  #forgotten = 0
  #journalId: unknown

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  forget(toldBeforeMs: number): number {
    const [journal] = this.#database.prepare('SELECT id, mark FROM journal').all()
    if (journal?.['id'] !== this.#journalId) this.#forgotten = 0
    this.#journalId = journal?.['id']
    const due = 'seq > ?1 AND seq <= ?2 AND written_ms < ?3'
    const range = [this.#forgotten, Number(journal?.['mark']), toldBeforeMs] as const
    const [last] = this.#database.prepare(`SELECT max(seq) AS seq FROM events WHERE ${due}`).all(...range)
    const { changes } = this.#database
      .prepare(
        `UPDATE events SET event = CASE event ->> 'kind'
           WHEN 'received' THEN json_object('kind', 'logged', 'at', event ->> 'receivedAt', 'module', 'receiving',
             'priority', 'WARN', 'message', 'SIM ' || (event ->> 'simNumber') ||
             ': a received message was reported to the relay; its content was removed after HASH_AFTER_SECONDS')
           ELSE json_remove(event, '$.text') END
         WHERE ${due} AND (event ->> 'kind' = 'received' OR
           event ->> 'kind' = 'ussd-answered' AND event ->> 'text' IS NOT NULL)`,
      )
      .run(...range)
    this.#forgotten = Math.max(this.#forgotten, Number(last?.['seq'] ?? 0))
    return Number(changes)
  }
}

export interface Forgotten {
  readonly commands: number
  readonly inbound: number
  readonly events: number
}

/**
 * Removes what ended, was settled or acknowledged before. A message that is still on a SIM is kept, since it would count as
 * new when it is read again.
 */
export function forgetOld(database: DatabaseSync, beforeMs: number): Forgotten {
  const run = (sql: string) => Number(database.prepare(sql).run(beforeMs).changes)
  database.exec('BEGIN IMMEDIATE')
  try {
    const events = run('DELETE FROM events WHERE seq <= (SELECT mark FROM journal) AND written_ms < ?')
    const ended = 'SELECT cmd_id FROM commands WHERE outcome IS NOT NULL AND ended_ms < ?'
    run(`DELETE FROM attempts WHERE cmd_id IN (${ended})`)
    run(`DELETE FROM reports WHERE cmd_id IN (${ended})`)
    const commands = run('DELETE FROM commands WHERE outcome IS NOT NULL AND ended_ms < ?')
    const inbound = run('DELETE FROM inbound WHERE settled IS NOT NULL AND memory IS NULL AND received_ms < ?')
    database.exec('COMMIT')
    return { commands, inbound, events }
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
