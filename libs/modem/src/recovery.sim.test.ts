import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModemState } from './modem-state.ts'
import { next } from './recovery.ts'
import { beginRecovery } from './recovery-moves.ts'
import {
  defaultRecoveryOptions as limits,
  type RecoveryEffect,
  type RecoveryNews,
  type RecoveryState,
  type RecoveryStep,
} from './recovery-state.ts'
import { type StartupFailureReason, startupFailure } from './startup/startup-failure.ts'

/** One thing that happens. `late`: as the outcome of something that was asked for before. */
interface Happening {
  readonly afterMs: number | 'deadline'
  readonly late: boolean
  readonly news: (attempt: number) => RecoveryNews
}

interface Moment {
  readonly atMs: number
  readonly before: RecoveryState
  readonly step: RecoveryStep
}

const reasons: readonly StartupFailureReason[] = [
  ...([
    'no-answer',
    'garbled',
    'port-lost',
    'fell-silent',
    'not-a-modem',
    'no-sim',
    'sim-busy',
    'sim-failure',
  ] as const),
  ...(['pin-required', 'puk-required', 'pdu-mode-refused', 'modem-locked'] as const),
]

const modemStates: fc.Arbitrary<ModemState> = fc.oneof(
  fc.constantFrom<ModemState>(
    { name: 'probing' },
    { name: 'identifying' },
    { name: 'sim' },
    { name: 'registering' },
    { name: 'ready' },
    { name: 'absent', why: 'unplugged' },
    { name: 'degraded', reasons: ['not-answering'] },
    { name: 'degraded', reasons: ['not-registered'] },
    { name: 'degraded', reasons: ['storage-full'] },
  ),
  fc.constantFrom(...reasons).map((reason): ModemState => ({ name: 'blocked', failure: startupFailure(reason) })),
)

const news: fc.Arbitrary<Happening['news']> = fc.oneof(
  modemStates.map((state) => () => ({ kind: 'modem' as const, state })),
  fc.constantFrom<Happening['news']>(
    () => ({ kind: 'time' }),
    () => ({ kind: 'time' }),
    () => ({ kind: 'device-appeared' }),
    (attempt) => ({ kind: 'opened', attempt }),
    (attempt) => ({ kind: 'not-opened', attempt, problem: 'absent', words: 'no such device' }),
    (attempt) => ({ kind: 'not-opened', attempt, problem: 'refused', words: 'busy' }),
    (attempt) => ({ kind: 'in-step', attempt }),
    (attempt) => ({ kind: 'out-of-step', attempt, heard: true }),
    (attempt) => ({ kind: 'out-of-step', attempt, heard: false }),
    (attempt) => ({ kind: 'reset-written', attempt }),
  ),
)

const pauses: fc.Arbitrary<Happening['afterMs']> = fc.oneof(
  fc.constant('deadline' as const),
  fc.constantFrom(0, 10, 1000),
  fc.integer({ min: 0, max: 900_000 }),
  fc.integer({ min: 0, max: 4 * 3_600_000 }),
)

/** Chance alone seldom climbs the ladder: a modem that goes deaf and is deaf still after all that is done for it. */
const deafness: readonly Happening['news'][] = [
  () => ({ kind: 'modem', state: { name: 'degraded', reasons: ['not-answering'] } }),
  (attempt) => ({ kind: 'out-of-step', attempt, heard: false }),
  (attempt) => ({ kind: 'opened', attempt }),
  () => ({ kind: 'modem', state: { name: 'blocked', failure: startupFailure('no-answer') } }),
  (attempt) => ({ kind: 'reset-written', attempt }),
  () => ({ kind: 'modem', state: { name: 'probing' } }),
  () => ({ kind: 'modem', state: { name: 'blocked', failure: startupFailure('no-answer') } }),
]

const happenings: fc.Arbitrary<readonly Happening[]> = fc
  .array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .record({
            afterMs: pauses,
            late: fc.boolean().chain((may) => (may ? fc.boolean() : fc.constant(false))),
            news,
          })
          .map((happening): readonly Happening[] => [happening]),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom<Happening['afterMs']>(0, 1000, 60_000)
          .map((afterMs): readonly Happening[] => deafness.map((tell) => ({ afterMs, late: false, news: tell }))),
      },
    ),
    { maxLength: 80, size: 'max' },
  )
  .map((fragments) => fragments.flat())

function live(story: readonly Happening[]): readonly Moment[] {
  let atMs = 0
  let step = beginRecovery(0)
  const moments: Moment[] = [{ atMs, before: step.state, step }]
  for (const { afterMs, late, news: tell } of story) {
    const before = step.state
    atMs = afterMs === 'deadline' ? Math.max(atMs, before.deadlineMs ?? atMs) : atMs + afterMs
    step = next(before, { ...tell(before.attempt - (late ? 1 : 0)), atMs })
    moments.push({ atMs, before, step })
  }
  return moments
}

const effectsOf = (moments: readonly Moment[]) =>
  moments.flatMap(({ atMs, step }) => step.effects.map((effect) => ({ atMs, effect })))

/** Lets the world be one way and sees where it leads. */
function liveOn(
  state: RecoveryState,
  fromMs: number,
  world: (effect: RecoveryEffect, state: RecoveryState) => readonly RecoveryNews[],
  until: (state: RecoveryState) => boolean,
  mostMs: number,
): RecoveryState {
  let atMs = fromMs
  let current = state
  const pending: RecoveryNews[] = []
  while (!until(current) && atMs - fromMs <= mostMs) {
    const tell = pending.shift()
    if (tell === undefined) atMs = Math.max(atMs, current.deadlineMs ?? Number.POSITIVE_INFINITY)
    const step = next(current, { ...(tell ?? { kind: 'time' }), atMs })
    current = step.state
    for (const effect of step.effects) pending.push(...world(effect, current))
  }
  return current
}

const modem = (state: ModemState): RecoveryNews => ({ kind: 'modem', state })

/** A modem that is well again and does all it is told. */
const kindWorld = (effect: RecoveryEffect): readonly RecoveryNews[] => {
  const setUp = [modem({ name: 'probing' }), modem({ name: 'identifying' }), modem({ name: 'ready' })]
  switch (effect.kind) {
    case 'open-port':
      return [{ kind: 'opened', attempt: effect.attempt }]
    case 'resynchronise':
      return [{ kind: 'in-step', attempt: effect.attempt }]
    case 'reset':
      return [{ kind: 'reset-written', attempt: effect.attempt }]
    case 'set-up':
    case 'restart-radio':
      return setUp
    default:
      return []
  }
}

const runs = { numRuns: 1000 }

describe('whatever happens, in whichever order', () => {
  test('every state but health has a deadline, and it is not far away', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        for (const { atMs, before, step } of live(story)) {
          if (step.state.kind === 'healthy') continue
          const longest = Math.max(limits.startLimitMs, ...limits.resetPausesMs)
          expect(step.state.deadlineMs).toBeLessThanOrEqual(Math.max(atMs + longest, before.deadlineMs ?? 0))
        }
      }),
      runs,
    )
  })

  test('no more resets than the budget: three, and one for each hour of unbroken health', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const moments = live(story)
        let allowed = limits.mostResets
        for (const { atMs, before, step } of moments) {
          if (before.kind === 'healthy' && step.state.kind !== 'healthy') {
            allowed += Math.floor((atMs - before.sinceMs) / limits.earnedBackAfterMs)
          }
          allowed -= step.effects.filter(({ kind }) => kind === 'reset').length
          expect(allowed).toBeGreaterThanOrEqual(0)
        }
      }),
      runs,
    )
  })

  test('two resets are never closer than the rest that the later one owes', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const times = effectsOf(live(story)).flatMap(({ atMs, effect }) => (effect.kind === 'reset' ? [atMs] : []))
        for (const [at, atMs] of times.entries()) {
          const before = times[at - 1]
          if (before !== undefined) expect(atMs - before).toBeGreaterThanOrEqual(Math.min(...limits.resetPausesMs))
        }
      }),
      runs,
    )
  })

  test('alarms are cleared before anything counts as healed, and only alarms that were raised', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        let raised = false
        for (const { effect } of effectsOf(live(story))) {
          if (effect.kind === 'clear-alarm') expect(raised).toBe(true)
          if (effect.kind === 'raise-alarm') raised = true
          if (effect.kind === 'clear-alarm') raised = false
          if (effect.kind === 'healed' || effect.kind === 'reset') expect(raised).toBe(false)
        }
      }),
      runs,
    )
  })

  test('what is remembered stays small', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const { state } = live(story).at(-1)?.step ?? beginRecovery(0)
        if (state.kind !== 'healthy') expect(state.trouble.evidence.length).toBeLessThanOrEqual(30)
      }),
      runs,
    )
  })
})

describe('from wherever it got to', () => {
  const isHealthy = (state: RecoveryState) => state.kind === 'healthy' && state.service

  test('a modem that is well again is healthy within a quarter of an hour, alarm or not', () => {
    fc.assert(
      fc.property(happenings, (story) => {
        const last = live(story).at(-1)
        if (last === undefined) return
        // What was asked for before the world became kind stays without an answer: only deadlines lead on.
        const { state } = last.step
        const unserved = state.kind === 'healthy' && !state.service
        const longest = 900_000 + (unserved ? limits.serviceLimitMs : 0)
        expect(isHealthy(liveOn(state, last.atMs, kindWorld, isHealthy, longest))).toBe(true)
      }),
      runs,
    )
  })

  test('a modem that nothing helps ends in an alarm within two hours', () => {
    const dead = (effect: RecoveryEffect): readonly RecoveryNews[] => {
      if (effect.kind === 'open-port') return [{ kind: 'opened', attempt: effect.attempt }]
      return []
    }
    fc.assert(
      fc.property(happenings, (story) => {
        const last = live(story).at(-1)
        if (last === undefined || last.step.state.kind === 'healthy') return
        const end = liveOn(last.step.state, last.atMs, dead, ({ kind }) => kind === 'alarm', 2 * 3_600_000)
        expect(end.kind).toBe('alarm')
      }),
      runs,
    )
  })
})
