import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { eventually } from '../api-client.ts'
import { startPostgres } from '../fleet.ts'
import { freePort } from './free-port.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import { PostgresServer } from './postgres-server.ts'

/** A primary, and a standby that streams its changes. */
export interface PostgresPair {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  readonly primaryUrl: string
  readonly standbyUrl: string
  stop(): Promise<void>
}

/** Starts two servers, and waits until the standby streams. */
export async function startPostgresPair(folder: string): Promise<PostgresPair> {
  const { postgres, url: primaryUrl } = await startPostgres(folder)
  await postgres.stop()
  const [data, copy] = [join(folder, 'postgres/data'), join(folder, 'standby')]
  execFileSync('cp', ['-a', data, copy])
  execFileSync('cp', ['-a', join(data, 'PG_VERSION'), join(copy, 'standby.signal')])
  const { port, password } = new URL(primaryUrl)
  const origin = `host=127.0.0.1 port=${port} user=smsgw password=${password} application_name=standby`
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${origin}'\n`)
  const standbyPort = await freePort()
  const binaries = postgresBinaries()
  const primary = await PostgresServer.open({ binaries, data, port: Number(port) })
  const standby = await PostgresServer.open({ binaries, data: copy, port: standbyPort })
  const isStreaming = async () => (await queryServer(primaryUrl, `SELECT FROM pg_stat_replication`)).length > 0
  await eventually(isStreaming, (isSo) => isSo)
  return {
    primary,
    standby,
    primaryUrl,
    standbyUrl: primaryUrl.replace(`:${port}/`, `:${standbyPort}/`),
    async stop() {
      await primary.stop()
      await standby.stop()
    },
  }
}

export async function queryServer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
