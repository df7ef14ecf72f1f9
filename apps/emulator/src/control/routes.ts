import { faultCatalogue } from '@smsgw/virtual-modem/faults'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { z } from 'zod'
import { allInstructions } from '../instructions/all-instructions.ts'
import type { LedgerFile } from '../ledger-file.ts'
import type { NetworkEvents } from '../network-events.ts'
import type { ServedModem } from '../served-modem.ts'
import { type Traffic, visible } from '../traffic.ts'
import type { World } from '../world.ts'
import { ControlProblem } from './problem.ts'

/** What the interface shows and acts on. */
export interface Controlled {
  readonly world: World
  readonly traffic: Traffic
  readonly events: NetworkEvents
  readonly ledger: LedgerFile | undefined
}

export interface Route {
  /** `/modems/:name`: one variable at most. */
  readonly path: string
  readonly about: string
  answer(controlled: Controlled, variable: string, query: URLSearchParams): object
}

/** All that can be read. Everything that can be done is `POST /do/<instruction>`. */
export const routes: readonly Route[] = [
  { path: '/', about: 'this list', answer: () => index() },
  {
    path: '/modems',
    about: 'every modem: ports, power, SIM, coverage, memories, settings, faults, counts',
    answer: ({ world }) => ({ modems: world.modems.map(modemState) }),
  },
  { path: '/modems/:name', about: 'one of them', answer: ({ world }, name) => modemState(world.modem(name)) },
  {
    path: '/network',
    about: 'operator, service centre, latency, rules, USSD codes, subscribers',
    answer: ({ world }) => {
      const { left: _left, policies: rules, ...rest } = world.network.snapshot()
      return { ...rest, rules }
    },
  },
  {
    path: '/phones/messages',
    about: 'what arrived at numbers that no modem has, oldest first; ?to=+44… for one number, ?last=100',
    answer: ({ world }, _variable, query) => {
      const to = query.get('to')
      const { left } = world.network.snapshot()
      return { messages: left.filter((message) => to === null || message.to === to).slice(-lastOf(query)) }
    },
  },
  {
    path: '/ledger',
    about: 'the last entries of the ledger; ?last=100',
    answer: ({ ledger }, _variable, query) => {
      if (ledger === undefined)
        throw new ControlProblem(404, 'no_ledger', 'the emulator was started with --ledger none')
      return { file: ledger.path, entries: ledger.tail(lastOf(query)) }
    },
  },
  {
    path: '/faults',
    about: 'the catalogue: every fault, what it does, its options with their defaults',
    answer: () => ({ faults: faultCatalogue }),
  },
  {
    path: '/personalities',
    about: 'the kinds of modem',
    answer: () => ({ personalities: Object.values(personalities).map(({ name, title }) => ({ name, title })) }),
  },
  {
    path: '/events',
    about: 'what happened in the network lately; ?last=100',
    answer: ({ events }, _variable, query) => ({ events: events.recent().slice(-lastOf(query)) }),
  },
  {
    path: '/traffic',
    about: 'the last bytes of all modems; ?modem=name, ?last=100',
    answer: ({ world, traffic }, _variable, query) => {
      const modem = modemOf(world, query)
      const records = traffic.recent().filter((record) => modem === null || record.modem === modem)
      return { traffic: records.slice(-lastOf(query)).map(trafficText) }
    },
  },
]

/** Answered by a stream of server-sent events. */
export const STREAM = '/stream'

export function trafficText({ bytes, ...rest }: ReturnType<Traffic['recent']>[number]): object {
  return { ...rest, text: visible(bytes), hex: Buffer.from(bytes).toString('hex') }
}

function modemState({ name, virtual, ports }: ServedModem): object {
  return {
    name,
    ports: ports.map((port) => ({ address: port.address, behind: port.describe() })),
    ...virtual.snapshot(),
  }
}

function index(): object {
  const read = routes.map(({ path, about }) => ({ request: `GET ${path}`, about }))
  const act = Object.entries(allInstructions).map(([name, { about, body }]) => ({
    request: `POST /do/${name}`,
    about,
    body: z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
  }))
  return { read: [...read, { request: `GET ${STREAM}`, about: STREAM_ABOUT }], act }
}

export const STREAM_ABOUT =
  'server-sent events `traffic` and `network` as they happen; ?modem=name for the bytes of one'

/** Null: of all modems. */
export function modemOf(world: World, query: URLSearchParams): string | null {
  const name = query.get('modem')
  return name === null ? null : world.modem(name).name
}

function lastOf(query: URLSearchParams): number {
  const text = query.get('last') ?? '100'
  const last = Number(text)
  if (Number.isInteger(last) && last > 0 && last <= 2000) return last
  throw new ControlProblem(400, 'invalid_query', `last: "${text}" is not a whole number from 1 to 2000`, 'last')
}
