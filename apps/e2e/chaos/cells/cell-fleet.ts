import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiClient, eventually } from '../../src/house/api-client.ts'
import { Emulator } from '../../src/house/emulator.ts'
import type { FleetParts } from '../../src/house/fleet.ts'
import { freePort } from '../../src/house/machine/free-port.ts'
import { mainScripts } from '../../src/house/machine/main-scripts.ts'
import { HouseProcess, logged } from '../../src/house/machine/process.ts'
import { LinkProxy } from '../../src/house/peers/link-proxy.ts'
import { Post } from '../../src/house/peers/post.ts'
import { DatabasePair } from './database-pair.ts'

/** A part of the fleet that answers `/health/ready`. */
type Server = FleetParts['relays'][number]

export interface CellAccount {
  readonly username: string
  /** The fleet as this account sees it: the routers, and its own agent. */
  readonly parts: FleetParts
}

/**
 * Cells with a pair of databases and some relays each, two routers, and two accounts for each cell. Each account has an
 * agent with two modems. The directory is a database in the first pair.
 */
export interface CellFleet {
  readonly folder: string
  readonly cells: readonly {
    readonly name: string
    readonly databases: DatabasePair
    readonly relays: readonly Server[]
  }[]
  readonly routers: readonly Server[]
  readonly accounts: readonly CellAccount[]
  readonly emulator: Emulator
  /** All relays, routers and agents. */
  readonly all: FleetParts
  /** Starts `smsgw cells …`. */
  command(args: readonly string[], settings?: Readonly<Record<string, string>>): HouseProcess
  /** Reads the directory. */
  directory(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Stops everything. The folder with logs and data is deleted, unless it is to be kept. */
  stop(keepFolder: boolean): Promise<void>
}

const PERSONALITIES = [{}, { personality: 'huawei-e3372' }, { personality: 'simcom-sim7600' }]
const MODEMS_OF_ACCOUNT = 2
const ACCOUNTS_OF_CELL = 2
const ROUTERS = 2

/** @param log called when a process ends by itself */
export async function startCellFleet(
  { cells: cellCount, relays: relayCount }: { readonly cells: number; readonly relays: number },
  log: (line: string) => void,
): Promise<CellFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-cells-'))
  chmodSync(folder, 0o755)
  const secrets = { SERVER_SECRET: randomBytes(32).toString('base64') }
  const names = Array.from({ length: cellCount }, (_, at) => `cell${at}`)
  const password = randomBytes(12).toString('hex')
  const pairs = await Promise.all(names.map((name) => DatabasePair.start(folder, name, password)))
  const [first] = pairs
  if (first === undefined) throw new Error('at least one cell is needed')
  await first.query('CREATE DATABASE directory')
  const directoryUrl = first.url('directory')
  const server = async (name: string, args: readonly string[], settings: Readonly<Record<string, string>>) => {
    const port = await freePort()
    const program = {
      ...{ name, main: mainScripts.relay, args },
      settings: { ...secrets, ...settings, PORT: String(port) },
      // The log of a router contains its id.
      ...(args.length === 0 && { logFile: join(folder, `${name}.log`) }),
    }
    const url = `http://127.0.0.1:${port}`
    return { post: new Post(program, log), url, api: new ApiClient(url, { username: '', password: '' }) }
  }
  const cells = await Promise.all(
    names.map(async (name, at) => {
      const databases = pairs[at] as DatabasePair
      const settings = { ...RELAY_SETTINGS, DATABASE_URL: databases.url() }
      const own = Array.from({ length: relayCount / cellCount }, (_, turn) => `relay ${name}.${turn}`)
      // The first relay creates the tables.
      const relays: Server[] = []
      for (const relay of own) {
        relays.push(await server(relay, [], { ...settings, DATA_DIR: join(folder, relay) }))
        await untilReady(relays.slice(-1))
      }
      return { name, databases, relays }
    }),
  )
  const command: CellFleet['command'] = (args, settings = {}) =>
    new HouseProcess('cells', mainScripts.relay, ['cells', ...args], {
      ...{ ...secrets, DIRECTORY_URL: directoryUrl, ...settings },
    })
  for (const { name, databases, relays } of cells) {
    const added = command(['add', name, ...relays.map(({ url }) => url)], { DATABASE_URL: databases.url() })
    if ((await added.ended()) !== 0) throw new Error(`cells add: ${added.complaints}`)
  }
  const routers: Server[] = []
  for (let at = 0; at < ROUTERS; at += 1)
    routers.push(await server(`router ${at}`, ['router'], { DIRECTORY_URL: directoryUrl }))
  await untilReady(routers)
  const usernames = names.flatMap((cell, at) =>
    Array.from({ length: ACCOUNTS_OF_CELL }, (_, turn) => ({ cell, username: `user${at * ACCOUNTS_OF_CELL + turn}` })),
  )
  const numberOf = (modem: number) => `+4477009${String(modem).padStart(5, '0')}`
  const emulator = await Emulator.start(
    folder,
    Array.from({ length: usernames.length * MODEMS_OF_ACCOUNT }, (_, modem) => ({
      ...PERSONALITIES[modem % PERSONALITIES.length],
      number: numberOf(modem),
    })),
  )
  let isOver = false
  void emulator.process.ended().then((how) => {
    if (!isOver) log(`THE EMULATOR ENDED (${how}), and with it this run: ${emulator.process.complaints}`)
  })
  const accounts = await Promise.all(
    usernames.map(async ({ cell, username }, at) => {
      const placed = command(['place', username, '--cell', cell, '--generate'])
      if ((await placed.ended()) !== 0) throw new Error(`cells place: ${placed.complaints}`)
      const generated = placed.lines.find((line) => line.startsWith('password: '))?.slice('password: '.length) ?? ''
      const user = { username, password: generated }
      const relays = routers.map(({ post, url }) => ({ post, url, api: new ApiClient(url, user) }))
      const own = Array.from({ length: MODEMS_OF_ACCOUNT }, (_, turn) => at * MODEMS_OF_ACCOUNT + turn)
      const line = await LinkProxy.start(...routers.map(({ url }) => Number(new URL(url).port)))
      const settings = {
        DATA_DIR: join(folder, `agent${at}`),
        RELAY_URL: `ws://127.0.0.1:${line.port}`,
        MODEMS: own.map((modem) => emulator.pty(modem)).join(),
        IN_DOUBT_SECONDS: '10',
        IN_DOUBT_HOLD_SECONDS: '2',
      }
      mkdirSync(settings.DATA_DIR)
      const code = await relays[0]?.api.ask('POST', '/devices/codes')
      const pair = ['pair', settings.RELAY_URL, String(code?.json.code)]
      const pairing = new HouseProcess('pair', mainScripts.agent, pair, settings)
      if ((await pairing.ended()) !== 0) throw new Error(`agent ${at} was not paired: ${pairing.complaints}`)
      const name = `agent ${at}`
      const program = { name, main: mainScripts.agent, args: ['run'], settings, logFile: join(folder, `${name}.log`) }
      const agents = [
        {
          ...{ post: new Post(program, log), line },
          modems: own.map((modem) => `modem${modem}`),
          numbers: own.map(numberOf),
        },
      ]
      return { username, parts: { relays, agents, emulator } }
    }),
  )
  const agents = accounts.flatMap(({ parts }) => parts.agents)
  const relays = cells.flatMap((cell) => cell.relays)
  return {
    ...{ folder, cells, routers, accounts, emulator, command },
    all: { relays: [...relays, ...routers], agents, emulator },
    directory: (sql) => first.query(sql, 'directory'),
    async stop(keepFolder) {
      isOver = true
      await Promise.all(agents.map(({ post }) => post.stop()))
      await Promise.all([...routers, ...relays].map(({ post }) => post.stop()))
      await Promise.all(agents.map(({ line }) => line.stop()))
      for (const { databases } of cells) await databases.stop()
      await emulator.process.stop()
      if (!keepFolder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

const RELAY_SETTINGS = {
  PUBLIC_URL: 'http://sms.example.org',
  TRUSTED_PROXIES: '127.0.0.1',
  CONSOLE_DIR: 'off',
  WEBHOOK_ALLOW_HTTP: '1',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  // Waiting times are shortened, but not skipped.
  SUBMIT_UNKNOWN_SECONDS: '60',
  HEARTBEAT_SECONDS: '4',
}

export async function isReady({ url }: Server): Promise<boolean> {
  const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  return answer?.status === 200
}

async function untilReady(servers: readonly Server[]): Promise<void> {
  for (const server of servers)
    await eventually(
      () => isReady(server),
      (ready) => ready,
      180_000,
    )
}

/** The ids of the routers that are running, from their logs. */
export function routerIds(routers: readonly Server[]): readonly string[] {
  const entries = routers.flatMap(({ post }) => post.lines.map(logged('router listening')))
  return entries.flatMap((entry) => (entry === undefined ? [] : [String(entry['routerId'])]))
}
