import type { Statements } from '../store/database.ts'

/** Limits the duration of each later statement of the transaction. Takes no locks. */
export async function limitStatements(statements: Statements, limitMs: number): Promise<void> {
  await statements.$executeRaw`SELECT set_config('statement_timeout', ${String(limitMs)}, true)`
}
