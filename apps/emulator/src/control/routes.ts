import { faultCatalogue } from '@smsgw/virtual-modem/faults/fault-catalogue'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { z } from 'zod'
import { allInstructions } from '../instructions/all-instructions.ts'
import type { LedgerFile } from '../ledger-file.ts'
import type { NetworkEvents } from '../output/network-events.ts'
import { type TrafficLog, visible } from '../output/traffic.ts'
import type { ServedModem, World } from '../world.ts'
import { ControlProblem } from './problem.ts'

/** The parts of the emulator that the control interface shows and changes. */
export interface Controlled {
  readonly world: World
  readonly traffic: TrafficLog
  readonly events: NetworkEvents
  readonly ledger: LedgerFile | undefined
}

export interface ControlRoute {
  /** The path, with at most one variable, such as `/modems/:name`. */
  readonly path: string
  readonly about: string
  answer(controlled: Controlled, variable: string, query: URLSearchParams): object
}

/** The GET requests. Changes are `POST /do/<instruction>`. */
export const controlRoutes: readonly ControlRoute[] = [
  { path: '/', about: 'List all requests with their schemas', answer: () => index() },
  {
    path: '/modems',
    about: 'List modems with ports, power, SIM, coverage, memories, settings, faults and counts',
    answer: ({ world }) => ({ modems: world.modems.map(modemState) }),
  },
  { path: '/modems/:name', about: 'Show one modem', answer: ({ world }, name) => modemState(world.modem(name)) },
  {
    path: '/network',
    about: 'Show operator, service centre, latency, rules, USSD codes and subscribers',
    answer: ({ world }) => {
      const { left: _left, policies: rules, ...rest } = world.network.snapshot()
      return { ...rest, rules }
    },
  },
  {
    path: '/phones/messages',
    about:
      'List messages that were sent to outside numbers, oldest first; ?to=+44… lists one number only, ?last=100 the last 100',
    answer: ({ world }, _variable, query) => {
      const to = query.get('to')
      const { left } = world.network.snapshot()
      return { messages: left.filter((message) => to === null || message.to === to).slice(-lastOf(query)) }
    },
  },
  {
    path: '/ledger',
    about: 'List the last ledger entries; ?last=100',
    answer: ({ ledger }, _variable, query) => {
      if (ledger === undefined)
        throw new ControlProblem(404, 'no_ledger', 'no ledger: the emulator was started with --ledger none')
      return { file: ledger.path, entries: ledger.tail(lastOf(query)) }
    },
  },
  {
    path: '/faults',
    about: 'List faults with their options and defaults',
    answer: () => ({ faults: faultCatalogue }),
  },
  {
    path: '/personalities',
    about: 'List modem types',
    answer: () => ({ personalities: Object.values(personalities).map(({ name, title }) => ({ name, title })) }),
  },
  {
    path: '/events',
    about: 'List recent network events; ?last=100',
    answer: ({ events }, _variable, query) => ({ events: events.recent().slice(-lastOf(query)) }),
  },
  {
    path: '/traffic',
    about: 'List recent traffic of all modems; ?modem=name, ?last=100',
    answer: ({ world, traffic }, _variable, query) => {
      const modem = modemOf(world, query)
      const records = traffic.recent().filter((record) => modem === null || record.modem === modem)
      return { traffic: records.slice(-lastOf(query)).map(trafficText) }
    },
  },
]

/** Path of the server-sent events. */
export const STREAM = '/stream'

export function trafficText({ bytes, ...rest }: ReturnType<TrafficLog['recent']>[number]): object {
  return { ...rest, text: visible(bytes), hex: Buffer.from(bytes).toString('hex') }
}

function modemState({ name, virtual, ports }: ServedModem): object {
  return {
    name,
    ports: ports.map((port) => ({ address: port.address, connection: port.describe() })),
    ...virtual.snapshot(),
  }
}

function index(): object {
  const read = controlRoutes.map(({ path, about }) => ({ request: `GET ${path}`, about }))
  const act = Object.entries(allInstructions).map(([name, { about, body }]) => ({
    request: `POST /do/${name}`,
    about,
    body: z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
  }))
  return { read: [...read, { request: `GET ${STREAM}`, about: STREAM_ABOUT }], act }
}

export const STREAM_ABOUT =
  'Stream `traffic` and `network` as server-sent events; ?modem=name for the traffic of one modem'

/** Returns the name of the modem, or null for all modems. */
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
