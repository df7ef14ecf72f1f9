import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { eventually } from '../src/house/api-client.ts'
import { Certificates } from './certificates.ts'
import { DatabaseMachine, debianPostgres } from './database-machine.ts'
import { createNetwork, removeNetwork } from './network.ts'

const packages = [
  'patroni',
  'python3-etcd',
  'python3-idna',
  'etcd-server',
  'postgresql',
  'haproxy',
  'openssl',
  'iproute2',
]

/** Returns why the cluster cannot run on this machine, or undefined if it can. */
export function whyNoCluster(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to create the networks of the machines'
  const isMissing = (command: string) => spawnSync('which', [command]).status !== 0
  if (debianPostgres() === undefined || ['patroni', 'etcd', 'haproxy', 'openssl', 'ip', 'setpriv'].some(isMissing))
    return `needs Debian's packages: apt-get install --no-install-recommends ${packages.join(' ')}`
  const { status } = spawnSync('unshare', ['--net', 'true'])
  return status === 0 ? undefined : 'the kernel refuses network namespaces'
}

/**
 * Three database machines: Patroni chooses one as primary and one as synchronous standby. The third is another standby.
 */
export class DatabaseCluster {
  readonly machines: readonly DatabaseMachine[]

  private constructor(machines: readonly DatabaseMachine[]) {
    this.machines = machines
  }

  /** Starts the machines, and creates the role and the database of the relay with the statements of the guide. */
  static async start(folder: string): Promise<{ readonly postgres: DatabaseCluster; readonly url: string }> {
    chmodSync(folder, 0o755)
    createNetwork()
    const secret = () => randomBytes(24).toString('hex')
    const certificates = new Certificates(folder)
    const secrets = {
      PATRONI_SUPERUSER_PASSWORD: secret(),
      PATRONI_REPLICATION_PASSWORD: secret(),
      PATRONI_REWIND_PASSWORD: secret(),
    }
    const machines = [1, 2, 3].map((at) => new DatabaseMachine(at, folder, certificates, secrets))
    const cluster = new DatabaseCluster(machines)
    for (const machine of machines) machine.powerOn()
    await cluster.untilHealthy()
    const password = secret()
    const primary = await cluster.primary()
    await primary?.query(`CREATE ROLE smsgw LOGIN PASSWORD '${password}'`)
    await primary?.query('CREATE DATABASE smsgw OWNER smsgw')
    const hosts = machines.map(({ address }) => `${address}:5432`).join()
    const parameters = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.authority)}`
    return { postgres: cluster, url: `postgresql://smsgw:${password}@${hosts}/smsgw?${parameters}` }
  }

  /** The machine whose PostgreSQL accepts writes; the one on the newest timeline if several do. */
  async primary(): Promise<DatabaseMachine | undefined> {
    const sql = `SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END`
    const timelines = await Promise.all(this.machines.map((machine) => answer(machine, sql)))
    const newest = timelines.filter(Boolean).toSorted().at(-1)
    return newest === undefined ? undefined : this.machines[timelines.indexOf(newest)]
  }

  async synchronousStandby(): Promise<DatabaseMachine | undefined> {
    const primary = await this.primary()
    const sql = `SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'`
    const name = primary && (await answer(primary, sql))
    return this.machines.find((machine) => machine.name === name)
  }

  /** Resolves when there is a primary with two standbys that receive its log, one of them synchronously. */
  async untilHealthy(): Promise<void> {
    const sql = `SELECT string_agg(sync_state, ',' ORDER BY sync_state) FROM pg_stat_replication
      WHERE state = 'streaming' AND application_name LIKE 'db%'`
    const states = async () => {
      const primary = await this.primary()
      return primary && (await answer(primary, sql))
    }
    await eventually(states, (found) => found === 'async,sync', 180_000)
  }

  async stop(): Promise<void> {
    for (const machine of this.machines) machine.remove()
    removeNetwork()
  }
}

/** Returns undefined if PostgreSQL of the machine does not answer. */
function answer(machine: DatabaseMachine, sql: string): Promise<string | undefined> {
  return machine.query(sql).catch(() => undefined)
}
