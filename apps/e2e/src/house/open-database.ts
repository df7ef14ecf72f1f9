import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'

/** Connects to the embedded database of the gateway in this folder, by the socket in `postmaster.pid`. */
export async function openDatabase(gatewayFolder: string): Promise<Client> {
  const [, , , , socketFolder] = readFileSync(join(gatewayFolder, 'database/postmaster.pid'), 'utf8').split('\n')
  if (!socketFolder) throw new Error('postmaster.pid names no socket of the database')
  const client = new Client({ host: socketFolder, user: 'smsgw', database: 'smsgw' })
  await client.connect()
  return client
}
