import type { Statements } from '../store/database.ts'
import { CHANNEL, hintPayloads, type WakeHint } from './wake-hint.ts'

/** Publishes hints from a command line process. Like all hints, they may be lost. Locks no rows. */
export async function publishHints(statements: Statements, hints: readonly WakeHint[]): Promise<void> {
  for (const payload of hintPayloads('command', hints))
    await statements.$executeRaw`SELECT pg_notify(${CHANNEL}, ${payload})`
}
