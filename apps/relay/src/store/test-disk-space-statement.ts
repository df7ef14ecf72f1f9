import type { Statements } from './database.ts'

/**
 * Writes a megabyte to a temporary table, which is dropped at the end of the transaction. This extends a file at once,
 * but adds no large entry to the write-ahead log. A large entry would be a risk, because PostgreSQL stops if the log
 * has no space. Locks only the temporary table.
 */
export async function testDiskSpace(statements: Statements): Promise<void> {
  await statements.$executeRaw`
    CREATE TEMPORARY TABLE disk_space_test ON COMMIT DROP AS
      SELECT repeat('x', 1900) AS content FROM generate_series(1, 500)`
}
