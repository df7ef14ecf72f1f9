import { RandomChoices } from '@smsgw/simulation/random-choices'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { personalities } from '@smsgw/virtual-modem/personalities/catalogue'
import type { ModemOptions } from '../src/modem-options.ts'
import { planAnswersLost, planFaults } from './fault-plans.ts'

/** All actions and faults of one schedule, determined by the seed alone. */
export interface DriverSchedule {
  readonly seed: number
  readonly personality: string
  /** How the modem's bytes are split into chunks. */
  readonly chunking: 'random' | 'whole'
  readonly cableMs: number
  /** True if the modem has been on for hours, false if it is switched on when the driver starts. */
  readonly warm: boolean
  readonly bootTimeFactor: number
  readonly networkMs: number | { readonly minMs: number; readonly maxMs: number }
  readonly slotsOfSim: number
  readonly secondPort: SecondPortPlan
  /** The PIN in the driver's options, which is used only if the SIM requires a PIN. */
  readonly pin: 'none' | 'right' | 'wrong' | 'missing'
  readonly pinTriesLeft: 1 | 2 | 3
  readonly modemOptions: ModemOptions
  readonly faults: FaultSettings
  readonly actions: readonly DriverAction[]
  /** Actions and faults end at this time. */
  readonly endMs: number
  /** True if there are no faults. Every message must then be accepted, and no outcome may be unknown. */
  readonly calm: boolean
  /** True if the only faults are lost answers to submissions. The driver must detect such a loss quickly. */
  readonly answersLost: boolean
}

/**
 * The behaviour of the second port. `none`: the modem has no second port. `works`: the port shares the selected memory
 * with the first port. `own-memories`: the port has its own selected memory. `silent`: the port does not answer.
 * `repeats`: it echoes the commands. `another-modem`: it belongs to another modem. `hangs`: it hangs after a while.
 */
export type SecondPortPlan = 'none' | 'works' | 'own-memories' | 'silent' | 'repeats' | 'another-modem' | 'hangs'

export type DriverAction = { readonly atMs: number } & (
  | {
      readonly do: 'submit'
      readonly text: string
      readonly hook: Hook
      readonly report: boolean
      readonly moreFollow: boolean
    }
  /** How long the owner takes to store the message: the first time it is reported, the second time, and so on. */
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
  /** A USSD message from the network whose text looks like modem output. */
  | { readonly do: 'push-ussd'; readonly lines: readonly string[] }
  | { readonly do: 'lose-network'; readonly forMs: number }
  /** The modem sends status lines, two hundred per second. */
  | { readonly do: 'flood'; readonly forMs: number }
  /** The program is killed and started again. */
  | { readonly do: 'restart-driver' }
)

/** The decision of the hook at the prompt, and the time that it takes. */
export interface Hook {
  readonly decision: 'go' | 'abort' | 'throw'
  readonly afterMs: number
}

export function planDriverSchedule(seed: number): DriverSchedule {
  const random = new RandomChoices(seed)
  const calm = random.happens(0.08)
  const count = 3 + random.below(6)
  const spanMs = random.oneOf([2_000, 20_000, 60_000, 300_000])
  const pin = calm || random.happens(0.9) ? 'none' : random.oneOf(['right', 'wrong', 'missing'] as const)
  const warm = random.happens(0.8)
  const bootTimeFactor = random.oneOf([0.1, 1])
  // Most actions begin after setup, but some begin during setup.
  const fromMs = random.happens(0.15) ? 0 : warm ? 500 : 20_000 * bootTimeFactor
  const theme = calm ? peaceful : random.oneOf(themes)
  const actions = Array.from({ length: count }, (_, number) =>
    planAction(random, theme, number, fromMs + random.below(spanMs), calm),
  )
  if (!calm) actions.push(...planPushedUssd(seed, fromMs, spanMs))
  const planned: DriverSchedule = {
    seed,
    personality: random.oneOf(Object.keys(personalities)),
    chunking: random.happens(0.7) ? 'random' : 'whole',
    cableMs: random.happens(0.6) ? 0 : random.oneOf([1, 20, 150]),
    warm,
    bootTimeFactor,
    networkMs: random.oneOf([0, 0, { minMs: 50, maxMs: 4_000 }, { minMs: 3_000, maxMs: 40_000 }]),
    slotsOfSim: random.oneOf([3, 10, 30]),
    secondPort: planSecondPort(seed),
    pin,
    pinTriesLeft: random.oneOf([3, 3, 2, 1] as const),
    modemOptions: planModemOptions(random, pin),
    faults: calm || random.happens(0.5) ? {} : planFaults(random),
    actions: actions.sort((one, other) => one.atMs - other.atMs),
    endMs: fromMs + spanMs + 1_000,
    calm,
    answersLost: false,
  }
  return calm ? planned : withAnswersLost(planned)
}

/** How often each action occurs, for each theme. */
type Theme = Readonly<Partial<Record<Exclude<DriverAction['do'], 'push-ussd'>, number>>>

const themes: readonly Theme[] = [
  {
    ...{ submit: 45, receive: 20, sweep: 4, ussd: 2, signal: 2, 'set-faults': 14, 'clear-faults': 3, unplug: 2 },
    ...{ 'drop-port': 2, reboot: 2, say: 1, flood: 1, 'lose-network': 1, 'restart-driver': 1 },
  },
  { submit: 70, 'set-faults': 20, 'clear-faults': 4, 'drop-port': 2, reboot: 2, flood: 1, 'restart-driver': 1 },
  { receive: 50, sweep: 20, 'set-faults': 20, 'clear-faults': 4, reboot: 2, say: 2, 'restart-driver': 2 },
]

const peaceful: Theme = { submit: 50, receive: 30, sweep: 10, ussd: 5, signal: 5 }

function planAction(random: RandomChoices, theme: Theme, number: number, atMs: number, calm: boolean): DriverAction {
  const what = random.weighted(theme)
  switch (what) {
    case 'submit': {
      const [report, moreFollow] = [random.happens(0.4), random.happens(0.2)]
      return { atMs, do: what, text: `out ${number}`, hook: planHook(random, calm), report, moreFollow }
    }
    case 'receive': {
      const journalMs = Array.from({ length: 3 }, () => random.oneOf([0, 0, 5, 400, 20_000]))
      return { atMs, do: what, text: `in ${number}`, journalMs }
    }
    case 'ussd':
      return { atMs, do: what, code: random.oneOf(['*100#', '*101#', '*999#']) }
    case 'sweep':
      return { atMs, do: what, again: random.happens(0.7) }
    case 'set-faults':
      return { atMs, do: what, faults: planFaults(random) }
    case 'unplug':
      return { atMs, do: what, forMs: random.oneOf([1_000, 10_000, 200_000]) }
    case 'drop-port':
      return { atMs, do: what, forMs: random.oneOf([500, 5_000]) }
    case 'say':
      return { atMs, do: what, line: random.oneOf(strayLines) }
    case 'flood':
      return { atMs, do: what, forMs: random.oneOf([50, 300]) }
    case 'lose-network':
      return { atMs, do: what, forMs: random.oneOf([5_000, 100_000]) }
    case 'signal':
    case 'clear-faults':
    case 'reboot':
    case 'restart-driver':
      return { atMs, do: what }
  }
}

/** Makes its own random choices, so that the other choices for a seed do not change. */
function planSecondPort(seed: number): SecondPortPlan {
  const random = new RandomChoices(seed ^ 0x2b07)
  return random.weighted({
    ...{ none: 50, works: 20, 'own-memories': 10 },
    ...{ silent: 4, repeats: 4, 'another-modem': 4, hangs: 8 },
  })
}

/** Makes its own random choices, so that the other choices for a seed do not change. */
function planPushedUssd(seed: number, fromMs: number, spanMs: number): DriverAction[] {
  const random = new RandomChoices(seed ^ 0xca11)
  if (random.happens(0.8)) return []
  return Array.from({ length: 1 + random.below(4) }, () => ({
    atMs: fromMs + random.below(spanMs),
    do: 'push-ussd' as const,
    lines: Array.from({ length: 1 + random.below(6) }, () => random.oneOf(wordsOfUssd)),
  }))
}

function planHook(random: RandomChoices, calm: boolean): Hook {
  if (calm || random.happens(0.7)) return { decision: 'go', afterMs: random.oneOf([0, 0, 2, 300]) }
  return {
    decision: random.oneOf(['go', 'go', 'abort', 'throw'] as const),
    afterMs: random.oneOf([0, 3_000, 4_999, 5_000, 5_001, 20_000, 130_000]),
  }
}

/**
 * In a sixth of the schedules, messages are sent and received, and the only faults are lost answers to submissions.
 * Makes its own random choices, so that the other choices for a seed do not change.
 */
function withAnswersLost(schedule: DriverSchedule): DriverSchedule {
  const random = new RandomChoices(schedule.seed ^ 0x105e)
  if (random.happens(0.83)) return schedule
  const fromMs = 5_000
  const spanMs = random.oneOf([2_000, 20_000, 60_000])
  const count = 4 + random.below(6)
  const actions = Array.from({ length: count }, (_, number): DriverAction => {
    const atMs = fromMs + random.below(spanMs)
    const what = random.weighted({ submit: 60, receive: 25, say: 15 })
    if (what === 'receive') return { atMs, do: what, text: `in ${number}`, journalMs: [0] }
    if (what === 'say') return { atMs, do: what, line: random.oneOf(['+CSQ: 20,99', '+CREG: 1', 'RING', '^RSSI: 20']) }
    const [report, moreFollow] = [random.happens(0.7), random.happens(0.2)]
    return { atMs, do: 'submit', text: `out ${number}`, hook: immediately, report, moreFollow }
  })
  // The number of results that the driver needs to learn the speed of the modem.
  const learns = random.happens(0.3)
  const earlier = Array.from({ length: learns ? 10 + random.below(4) : 0 }, (_, number): DriverAction => {
    return { atMs: 1_000, do: 'submit', text: `early ${number}`, hook: immediately, report: false, moreFollow: false }
  })
  return {
    ...schedule,
    ...(learns && { personality: 'generic' }),
    warm: true,
    cableMs: random.oneOf([0, 0, 1, 20, 150]),
    networkMs: random.oneOf([0, 0, { minMs: 50, maxMs: 4_000 }]),
    slotsOfSim: 30,
    pin: 'none',
    modemOptions: { sweepMs: 120_000, signalMs: 600_000, registeredPollMs: 600_000 },
    faults: planAnswersLost(random, earlier.length),
    actions: [...earlier, ...actions.sort((one, other) => one.atMs - other.atMs)],
    endMs: fromMs + spanMs + 140_000,
    answersLost: true,
  }
}

const immediately: Hook = { decision: 'go', afterMs: 0 }

function planModemOptions(random: RandomChoices, pin: DriverSchedule['pin']): ModemOptions {
  // Frequent checks are slow to simulate and reveal few faults, so only a tenth of the schedules check as often as a
  // gateway does.
  const seldom = { sweepMs: 120_000, signalMs: 600_000, registeredPollMs: 600_000 }
  return {
    ...(random.happens(0.9) && seldom),
    ...(pin === 'right' && { simPin: rightPin }),
    ...(pin === 'wrong' && { simPin: '9999' }),
  }
}

export const rightPin = '1234'

const wordsOfUssd = [
  ...['You won', 'You won"', 'You won",15', '"', 'say "hi"', 'OK', 'ERROR', '>', '0', '+CMTI: "SM",2', '+CMEE: 1'],
  ...['+CMS ERROR: 38', '+CMS ERROR: 8', '+CMGS: 99', '+CMGS: 1', '+CMGS: "2"', '+CPIN: SIM PIN', 'RDY', 'NO CARRIER'],
]

/**
 * Unexpected lines. The lines contain no final result, because the driver could not distinguish it from the real final
 * result.
 */
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
