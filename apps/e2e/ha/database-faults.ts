import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../src/house/api-client.ts'
import type { DatabaseCluster } from './database-cluster.ts'
import type { DatabaseMachine } from './database-machine.ts'

interface DatabaseFault {
  readonly name: string
  /** Returns a function that undoes the fault. It is called when messages are accepted again. */
  inject(cluster: DatabaseCluster): Promise<() => Promise<void>>
}

const nothing = async () => undefined

export const databaseFaults: readonly DatabaseFault[] = [
  {
    name: 'PostgreSQL of the primary killed',
    async inject(cluster) {
      ;(await primaryOf(cluster)).killPostgres()
      return nothing
    },
  },
  {
    name: 'Patroni of the primary killed',
    async inject(cluster) {
      ;(await primaryOf(cluster)).killPatroni()
      return nothing
    },
  },
  {
    name: 'primary without power',
    async inject(cluster) {
      const primary = await primaryOf(cluster)
      primary.powerOff()
      return async () => primary.powerOn()
    },
  },
  {
    name: 'network of the primary cut off',
    async inject(cluster) {
      const primary = await primaryOf(cluster)
      primary.cutOff()
      return async () => {
        // The other machines have chosen a new primary. The old primary is connected again shortly before or after it
        // stops acting as primary.
        await sleep(5_000)
        primary.reconnect()
      }
    },
  },
  {
    name: 'Patroni of the primary gone, PostgreSQL still running',
    async inject(cluster) {
      const primary = await primaryOf(cluster)
      primary.abandonPostgres()
      await eventually(
        () => cluster.primary(),
        (found) => found !== undefined && found !== primary,
        120_000,
      )
      // The unconfirmed writes are on the same timeline as the new writes, so Patroni does not detect that it must
      // rewind.
      return async () => primary.reinitialise()
    },
  },
  {
    name: 'synchronous standby frozen for 20 s',
    async inject(cluster) {
      const standby = await synchronousStandbyOf(cluster)
      standby.freezePostgres()
      await sleep(20_000)
      return async () => standby.thawPostgres()
    },
  },
  {
    name: 'synchronous standby without power',
    async inject(cluster) {
      const standby = await synchronousStandbyOf(cluster)
      standby.powerOff()
      return async () => standby.powerOn()
    },
  },
]

async function primaryOf(cluster: DatabaseCluster): Promise<DatabaseMachine> {
  const primary = await cluster.primary()
  if (primary === undefined) throw new Error('no database machine accepts writes')
  return primary
}

async function synchronousStandbyOf(cluster: DatabaseCluster): Promise<DatabaseMachine> {
  const standby = await cluster.synchronousStandby()
  if (standby === undefined) throw new Error('no database machine is the synchronous standby')
  return standby
}
