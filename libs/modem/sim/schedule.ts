import type { FaultSettings } from '@smsgw/virtual-modem/fault-control'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import { seededRandom } from '@smsgw/virtual-modem/random'
import type { ModemOptions } from '../src/modem-options.ts'
import { Chance } from './chance.ts'
import { planFaults } from './fault-plans.ts'

/** Everything that happens in one schedule, decided before it begins: the seed alone says it all. */
export interface Schedule {
  readonly seed: number
  readonly personality: string
  /** How the modem's bytes come out, and how long each way of the cable takes. */
  readonly chunking: 'random' | 'whole'
  readonly cableMs: number
  /** It has been on for hours, or it is switched on as the driver begins. */
  readonly warm: boolean
  readonly bootTimeFactor: number
  readonly networkMs: number | { readonly minMs: number; readonly maxMs: number }
  readonly slotsOfSim: number
  /** What the driver is told to enter, where the SIM asks at all. */
  readonly pin: 'none' | 'right' | 'wrong' | 'missing'
  readonly pinTriesLeft: 1 | 2 | 3
  readonly modemOptions: ModemOptions
  readonly faults: FaultSettings
  readonly actions: readonly Action[]
  /** Until then things happen; from then on everything works. */
  readonly endMs: number
  /** Nothing goes wrong at all: all is to be accepted and nothing to be in doubt. */
  readonly calm: boolean
}

export type Action = { readonly atMs: number } & (
  | {
      readonly do: 'submit'
      readonly text: string
      readonly hook: Hook
      readonly report: boolean
      readonly moreFollow: boolean
    }
  /** What the owner takes to write it down: the first time that it is shown to him, the second, and so on. */
  | { readonly do: 'receive'; readonly text: string; readonly journalMs: readonly number[] }
  | { readonly do: 'ussd'; readonly code: string }
  | { readonly do: 'sweep'; readonly again: boolean }
  | { readonly do: 'signal' }
  | { readonly do: 'set-faults'; readonly faults: FaultSettings }
  | { readonly do: 'clear-faults' }
  | { readonly do: 'unplug'; readonly forMs: number }
  | { readonly do: 'drop-port'; readonly forMs: number }
  | { readonly do: 'reboot' }
  | { readonly do: 'say'; readonly line: string }
  /** USSD that nobody asked for, whose text looks like what a modem says. */
  | { readonly do: 'push-ussd'; readonly lines: readonly string[] }
  | { readonly do: 'lose-network'; readonly forMs: number }
  /** Status lines, two hundred a second. */
  | { readonly do: 'flood'; readonly forMs: number }
  /** The program ends, whatever it was doing, and is started again. */
  | { readonly do: 'restart-driver' }
)

/** What the owner says when the prompt is there, and after how long. */
export interface Hook {
  readonly verdict: 'go' | 'abort' | 'throw'
  readonly afterMs: number
}

export function planSchedule(seed: number): Schedule {
  const random = seededRandom(seed)
  const chance = new Chance(random)
  const calm = chance.of(0.08)
  const count = 3 + random.integer(6)
  const spanMs = chance.oneOf([2_000, 20_000, 60_000, 300_000])
  const pin = calm || chance.of(0.9) ? 'none' : chance.oneOf(['right', 'wrong', 'missing'] as const)
  const warm = chance.of(0.8)
  const bootTimeFactor = chance.oneOf([0.1, 1])
  // Most begin when the modem has been set up; some meet it while it is.
  const fromMs = chance.of(0.15) ? 0 : warm ? 500 : 20_000 * bootTimeFactor
  const theme = calm ? peaceful : chance.oneOf(themes)
  const actions = Array.from({ length: count }, (_, number) =>
    planAction(chance, theme, number, fromMs + chance.below(spanMs), calm),
  )
  if (!calm) actions.push(...planPushedUssd(seed, fromMs, spanMs))
  return {
    seed,
    personality: chance.oneOf(Object.keys(personalities)),
    chunking: chance.of(0.7) ? 'random' : 'whole',
    cableMs: chance.of(0.6) ? 0 : chance.oneOf([1, 20, 150]),
    warm,
    bootTimeFactor,
    networkMs: chance.oneOf([0, 0, { minMs: 50, maxMs: 4_000 }, { minMs: 3_000, maxMs: 40_000 }]),
    slotsOfSim: chance.oneOf([3, 10, 30]),
    pin,
    pinTriesLeft: chance.oneOf([3, 3, 2, 1] as const),
    modemOptions: planModemOptions(chance, pin),
    faults: calm || chance.of(0.5) ? {} : planFaults(chance),
    actions: actions.sort((one, other) => one.atMs - other.atMs),
    endMs: fromMs + spanMs + 1_000,
    calm,
  }
}

/** How often what happens, in each kind of story. */
type Theme = Readonly<Partial<Record<Exclude<Action['do'], 'push-ussd'>, number>>>

const themes: readonly Theme[] = [
  {
    ...{ submit: 45, receive: 20, sweep: 4, ussd: 2, signal: 2, 'set-faults': 14, 'clear-faults': 3, unplug: 2 },
    ...{ 'drop-port': 2, reboot: 2, say: 1, flood: 1, 'lose-network': 1, 'restart-driver': 1 },
  },
  { submit: 70, 'set-faults': 20, 'clear-faults': 4, 'drop-port': 2, reboot: 2, flood: 1, 'restart-driver': 1 },
  { receive: 50, sweep: 20, 'set-faults': 20, 'clear-faults': 4, reboot: 2, say: 2, 'restart-driver': 2 },
]

const peaceful: Theme = { submit: 50, receive: 30, sweep: 10, ussd: 5, signal: 5 }

function planAction(chance: Chance, theme: Theme, number: number, atMs: number, calm: boolean): Action {
  const what = chance.weighted(theme)
  switch (what) {
    case 'submit': {
      const [report, moreFollow] = [chance.of(0.4), chance.of(0.2)]
      return { atMs, do: what, text: `out ${number}`, hook: planHook(chance, calm), report, moreFollow }
    }
    case 'receive': {
      const journalMs = Array.from({ length: 3 }, () => chance.oneOf([0, 0, 5, 400, 20_000]))
      return { atMs, do: what, text: `in ${number}`, journalMs }
    }
    case 'ussd':
      return { atMs, do: what, code: chance.oneOf(['*100#', '*101#', '*999#']) }
    case 'sweep':
      return { atMs, do: what, again: chance.of(0.7) }
    case 'set-faults':
      return { atMs, do: what, faults: planFaults(chance) }
    case 'unplug':
      return { atMs, do: what, forMs: chance.oneOf([1_000, 10_000, 200_000]) }
    case 'drop-port':
      return { atMs, do: what, forMs: chance.oneOf([500, 5_000]) }
    case 'say':
      return { atMs, do: what, line: chance.oneOf(strayLines) }
    case 'flood':
      return { atMs, do: what, forMs: chance.oneOf([50, 300]) }
    case 'lose-network':
      return { atMs, do: what, forMs: chance.oneOf([5_000, 100_000]) }
    case 'signal':
    case 'clear-faults':
    case 'reboot':
    case 'restart-driver':
      return { atMs, do: what }
  }
}

/** Decided by chance of its own, so that the rest of a seed is what it was. */
function planPushedUssd(seed: number, fromMs: number, spanMs: number): Action[] {
  const chance = new Chance(seededRandom(seed ^ 0xca11))
  if (chance.of(0.8)) return []
  return Array.from({ length: 1 + chance.below(4) }, () => ({
    atMs: fromMs + chance.below(spanMs),
    do: 'push-ussd' as const,
    lines: Array.from({ length: 1 + chance.below(6) }, () => chance.oneOf(wordsOfUssd)),
  }))
}

function planHook(chance: Chance, calm: boolean): Hook {
  if (calm || chance.of(0.7)) return { verdict: 'go', afterMs: chance.oneOf([0, 0, 2, 300]) }
  return {
    verdict: chance.oneOf(['go', 'go', 'abort', 'throw'] as const),
    afterMs: chance.oneOf([0, 3_000, 4_999, 5_000, 5_001, 20_000, 130_000]),
  }
}

function planModemOptions(chance: Chance, pin: Schedule['pin']): ModemOptions {
  // Looking often costs time and finds little: a tenth of the schedules does it as often as a gateway does.
  const seldom = { sweepMs: 120_000, signalMs: 600_000, registeredPollMs: 600_000 }
  return {
    ...(chance.of(0.9) && seldom),
    ...(chance.of(0.1) && { gapMs: 50 }),
    ...(pin === 'right' && { simPin: rightPin }),
    ...(pin === 'wrong' && { simPin: '9999' }),
    enterPinUnseen: chance.of(0.2),
  }
}

export const rightPin = '1234'

const wordsOfUssd = [
  ...['You won', 'You won"', 'You won",15', '"', 'say "hi"', 'OK', 'ERROR', '>', '0', '+CMTI: "SM",2', '+CMEE: 1'],
  ...['+CMS ERROR: 38', '+CMS ERROR: 8', '+CMGS: 99', '+CMGS: 1', '+CMGS: "2"', '+CPIN: SIM PIN', 'RDY', 'NO CARRIER'],
]

/** Said by nobody's leave; a final result is not among them, for nothing could tell it from a true one. */
const strayLines = [
  '+CSQ: 20,99',
  '+CREG: 2',
  '+CMTI: "SM",1',
  '+CMTI: "ME",250',
  '+CMTI: ,',
  '> ',
  '+CUSD: 2',
  'RING',
  '',
]
