import { z } from 'zod'

/** The first file of a backup, `backup.json`, with its kind, versions and tables. */
export const backupDescription = z.object({
  /** Version of the archive format. */
  format: z.literal(1),
  /** A `relay` backup contains only the database. A `gateway` backup also contains the other data of the gateway. */
  kind: z.enum(['relay', 'gateway']),
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** Applied migrations. */
  migrations: z.array(z.string()).min(1),
  /** The tables, ordered so that each row comes after the rows to which it refers. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
})

export type BackupDescription = z.output<typeof backupDescription>

/** The last file, `checks.json`. A backup without this file is incomplete. */
export const backupChecks = z.object({
  /** Number of rows and SHA-256 of the pieces, by table. */
  tables: z.record(z.string(), z.object({ rows: z.int(), sha256: z.string() })),
  /** Last values of the sequences. */
  sequences: z.record(z.string(), z.string()),
})

export type BackupChecks = z.output<typeof backupChecks>

export const descriptionFile = 'backup.json'
export const checksFile = 'checks.json'

/**
 * Returns the file name of a piece of a table, such as `tables/messages/0001.copy`. All pieces together are the COPY
 * data.
 */
export function pieceName(table: string, number: number): string {
  return `tables/${table}/${String(number).padStart(4, '0')}.copy`
}

export function tableOfPiece(name: string): string | undefined {
  return /^tables\/([^/]+)\/\d+\.copy$/.exec(name)?.[1]
}
