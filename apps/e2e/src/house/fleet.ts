import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiClient } from './api-client.ts'
import { Emulator } from './emulator.ts'
import { freePort } from './machine/free-port.ts'
import { mainScripts } from './machine/main-scripts.ts'
import { postgresBinaries } from './machine/postgres-binaries.ts'
import { PostgresServer } from './machine/postgres-server.ts'
import { preparedDatabase } from './machine/prepared-database.ts'
import { SetClock, whyNoSetClock } from './machine/set-clock.ts'
import { SmallDisk } from './machine/small-disk.ts'
import { LinkProxy } from './peers/link-proxy.ts'
import { Post } from './peers/post.ts'

/** Two relays on one database, and two agents with three modems. A proxy connects each agent to both relays. */
export interface Fleet<Database = PostgresServer> {
  readonly folder: string
  readonly postgres: Database
  readonly relays: readonly { readonly post: Post; readonly api: ApiClient; readonly url: string }[]
  readonly agents: readonly {
    readonly post: Post
    readonly line: LinkProxy
    readonly modems: readonly string[]
    readonly numbers: readonly string[]
  }[]
  readonly emulator: Emulator
  /** The API behind the load balancer, if there is one. */
  readonly balanced?: ApiClient | undefined
  /** The disk for the logs of the last relay and the last agent; undefined if no disk can be mounted. */
  readonly logDisk: SmallDisk | undefined
  /** Clocks of relays, agents and PostgreSQL, by name; empty if clocks cannot be set. */
  readonly clocks: ReadonlyMap<string, SetClock>
  stop(): Promise<void>
}

/** What the load, the faults and the audit need of a fleet. */
export type FleetParts = Pick<Fleet<unknown>, 'relays' | 'agents' | 'emulator' | 'balanced'>

const modemsOf = [['modem0', 'modem1'], ['modem2']] as const
const numbers = ['+447700900001', '+447700900002', '+447700900003'] as const

/** The programs that are built from the sources. */
export const currentPrograms: FleetPrograms = { relay: mainScripts.relay, agent: mainScripts.agent }

export interface FleetPrograms {
  readonly relay: string
  readonly agent: string
  /** Settings of every relay and agent. */
  readonly settings?: Readonly<Record<string, string>>
}

interface Surroundings<Database> {
  startDatabase(folder: string, clock?: SetClock): Promise<{ readonly postgres: Database; readonly url: string }>
  /** Starts a load balancer for the agents. Without one, agents connect to the relays. */
  startBalancer?(folder: string, relayPorts: readonly number[]): Promise<Balancer>
}

export interface Balancer {
  readonly port: number
  stop(): Promise<void>
}

/** @param log called when a process ends by itself */
export function startFleet(log: (line: string) => void, programs = currentPrograms): Promise<Fleet> {
  return startFleetWith({ startDatabase: startPostgres }, log, programs)
}

/** Starts a fleet on another database than a single PostgreSQL, or behind a load balancer. */
export async function startFleetWith<Database extends { stop(): Promise<void> }>(
  { startDatabase, startBalancer }: Surroundings<Database>,
  log: (line: string) => void,
  programs = currentPrograms,
): Promise<Fleet<Database>> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-chaos-'))
  chmodSync(folder, 0o755)
  const secrets = {
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: randomBytes(12).toString('base64url'),
    ENROLMENT_TOKEN: randomBytes(32).toString('base64url'),
  }
  const user = { username: 'sms', password: secrets.ADMIN_PASSWORD }
  const logDisk = await SmallDisk.mount()
  const names = ['PostgreSQL', 'relay 0', 'relay 1', 'agent 0', 'agent 1']
  const settable = whyNoSetClock === undefined ? names : []
  const clocks = new Map(settable.map((name) => [name, new SetClock(folder, name.replace(' ', ''))]))
  const { postgres, url } = await startDatabase(folder, clocks.get('PostgreSQL'))
  const emulator = await Emulator.start(folder, [
    { number: numbers[0] },
    { personality: 'huawei-e3372', number: numbers[1] },
    { personality: 'simcom-sim7600', number: numbers[2] },
  ])
  let isOver = false
  void emulator.process.ended().then((how) => {
    if (!isOver) log(`THE EMULATOR ENDED (${how}), and with it this run: ${emulator.process.complaints}`)
  })
  const ports = [await freePort(), await freePort()]
  const relays = ports.map((port, at) => {
    const settings = {
      ...secrets,
      ...programs.settings,
      ...clocks.get(`relay ${at}`)?.settings,
      DATABASE_URL: url,
      DATA_DIR: join(folder, `relay${at}`),
      PORT: String(port),
      WEBHOOK_ALLOW_HTTP: '1',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      // Waiting times are shortened, but not skipped.
      SUBMIT_UNKNOWN_SECONDS: '60',
      HEARTBEAT_SECONDS: '4',
    }
    const address = `http://127.0.0.1:${port}`
    const name = `relay ${at}`
    const program = { name, main: mainScripts.relay, args: [], settings, ...logOn(logDisk, name, at) }
    return {
      post: new Post(program, log),
      api: new ApiClient(address, user),
      url: address,
    }
  })
  const balancer = await startBalancer?.(folder, ports)
  const agents = await Promise.all(
    modemsOf.map(async (modems, at) => {
      const line = await LinkProxy.start(...(balancer === undefined ? ports : [balancer.port]))
      const settings = {
        ...programs.settings,
        ...clocks.get(`agent ${at}`)?.settings,
        DATA_DIR: join(folder, `agent${at}`),
        RELAY_URL: `ws://127.0.0.1:${line.port}`,
        ENROLMENT_TOKEN: secrets.ENROLMENT_TOKEN,
        MODEMS: modems.map((name) => emulator.pty(Number(name.slice(-1)))).join(),
        IN_DOUBT_SECONDS: '10',
        IN_DOUBT_HOLD_SECONDS: '2',
      }
      mkdirSync(settings.DATA_DIR)
      const name = `agent ${at}`
      const program = { name, main: mainScripts.agent, args: ['run'], settings, ...logOn(logDisk, name, at) }
      return {
        post: new Post(program, log),
        line,
        modems,
        numbers: modems.map((name) => numbers[Number(name.slice(-1))] ?? ''),
      }
    }),
  )
  return {
    folder,
    postgres,
    relays,
    agents,
    emulator,
    balanced: balancer && new ApiClient(`http://127.0.0.1:${balancer.port}`, user),
    logDisk,
    clocks,
    async stop() {
      isOver = true
      await Promise.all(agents.map(({ post }) => post.stop()))
      await Promise.all(relays.map(({ post }) => post.stop()))
      await Promise.all(agents.map(({ line }) => line.stop()))
      await balancer?.stop()
      await postgres.stop()
      await emulator.process.stop()
      logDisk?.unmount()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns where a process logs. The first process of each kind logs to the output of the run. The other processes log
 * to files on the disk, if there is one.
 */
function logOn(disk: SmallDisk | undefined, name: string, at: number): { readonly logFile?: string } {
  return disk === undefined || at === 0 ? {} : { logFile: join(disk.folder, `${name}.log`) }
}

/**
 * Starts PostgreSQL. The operating-system user that runs it must have access to the folder. In a test run, the database
 * has all tables.
 */
export function startPostgres(folder: string, clock?: SetClock): Promise<StartedPostgres> {
  return startPostgresWith(folder, { prepared: preparedDatabase(), settings: clock?.settings })
}

/** Starts PostgreSQL with a database without tables. */
export function startEmptyPostgres(folder: string): Promise<StartedPostgres> {
  return startPostgresWith(folder, {})
}

interface StartedPostgres {
  readonly postgres: PostgresServer
  readonly url: string
}

async function startPostgresWith(
  folder: string,
  options: Pick<Parameters<typeof PostgresServer.start>[0], 'prepared' | 'settings'>,
): Promise<StartedPostgres> {
  const passwordFile = join(folder, 'password')
  const password = randomBytes(12).toString('hex')
  writeFileSync(passwordFile, password, { mode: 0o644 })
  const port = await freePort()
  const postgres = await PostgresServer.start({
    binaries: postgresBinaries(),
    folder: join(folder, 'postgres'),
    port,
    user: 'smsgw',
    database: 'smsgw',
    passwordFile,
    ...options,
  })
  return { postgres, url: `postgresql://smsgw:${password}@127.0.0.1:${port}/smsgw` }
}
