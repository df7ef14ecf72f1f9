import type { Statements } from '../../store/database.ts'

/**
 * Locks the signing keys until the end of the transaction, so that only one of several starting relays creates a key.
 */
export async function lockSigningKeys(statements: Statements): Promise<void> {
  await statements.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK})`
}

/** The number of this lock differs from the numbers of the other advisory locks of the relay. */
const LOCK = 72_707_401n
