import type { DatabaseSync } from 'node:sqlite'

export interface Forgotten {
  readonly commands: number
  readonly inbound: number
  readonly events: number
}

/**
 * Forgets what ended, was settled or acknowledged before. A command that the relay might ask for again is known at least
 * as long; what still lies on a SIM is never forgotten, or it would be taken for new.
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
