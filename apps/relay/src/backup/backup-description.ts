import { z } from 'zod'

/** The first file of a backup, `backup.json`: what it is, and how to read the rest. */
export const backupDescription = z.object({
  /** Of the container. A newer release may write another. */
  format: z.literal(1),
  /** `relay`: a database. `gateway`: with everything else of the box. */
  kind: z.enum(['relay', 'gateway']),
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** The state of the schema, as the migrations that made it. */
  migrations: z.array(z.string()).min(1),
  /** In an order in which no row comes before one that it refers to. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
})

export type BackupDescription = z.output<typeof backupDescription>

/** The last one, `checks.json`: without it a backup is not whole. */
export const backupChecks = z.object({
  /** Rows, and SHA-256 of all bytes of its pieces. */
  tables: z.record(z.string(), z.object({ rows: z.int(), sha256: z.string() })),
  /** Where numbering goes on. */
  sequences: z.record(z.string(), z.string()),
})

export type BackupChecks = z.output<typeof backupChecks>

export const descriptionFile = 'backup.json'
export const checksFile = 'checks.json'

/** A table's rows come in pieces, `tables/messages/0001.copy`: their bytes in a row are what COPY writes and reads. */
export function pieceName(table: string, number: number): string {
  return `tables/${table}/${String(number).padStart(4, '0')}.copy`
}

export function tableOfPiece(name: string): string | undefined {
  return /^tables\/([^/]+)\/\d+\.copy$/.exec(name)?.[1]
}
