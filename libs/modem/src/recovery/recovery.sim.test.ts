import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModemState } from '../modem-state.ts'
import { type StartupFailureReason, startupFailure } from '../setup/startup-failure.ts'
import { beginRecovery } from './moves.ts'
import { nextRecovery } from './recovery.ts'
import {
  defaultRecoveryOptions as limits,
  type RecoveryEffect,
  type RecoveryNews,
  type RecoveryState,
  type RecoveryStep,
} from './state.ts'

/** One input with its time. `late`: the outcome of an earlier request. */
interface TimedInput {
  readonly afterMs: number | 'deadline'
  readonly late: boolean
  readonly input: (attempt: number) => RecoveryNews
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

const requestRestart: TimedInput['input'] = () => ({ kind: 'restart-requested' })

const input: fc.Arbitrary<TimedInput['input']> = fc.oneof(
  modemStates.map((state) => () => ({ kind: 'modem' as const, state })),
  fc.constantFrom<TimedInput['input']>(
    () => ({ kind: 'time' }),
    () => ({ kind: 'time' }),
    () => ({ kind: 'device-appeared' }),
    requestRestart,
    (attempt) => ({ kind: 'opened', attempt }),
    (attempt) => ({ kind: 'not-opened', attempt, problem: 'absent', words: 'no such device' }),
    (attempt) => ({ kind: 'not-opened', attempt, problem: 'refused', words: 'busy' }),
    (attempt) => ({ kind: 'in-step', attempt }),
    (attempt) => ({ kind: 'out-of-step', attempt, heard: true }),
    (attempt) => ({ kind: 'out-of-step', attempt, heard: false }),
    (attempt) => ({ kind: 'reset-written', attempt }),
  ),
)

/** A person may request any number of restarts, even if no automatic reset is left. */
const withoutRequests = (story: readonly TimedInput[]) => story.filter(({ input }) => input !== requestRestart)

const pauses: fc.Arbitrary<TimedInput['afterMs']> = fc.oneof(
  fc.constant('deadline' as const),
  fc.constantFrom(0, 10, 1000),
  fc.integer({ min: 0, max: 900_000 }),
  fc.integer({ min: 0, max: 4 * 3_600_000 }),
)

/** Random inputs rarely reach the last remedies, so these inputs simulate a modem that no remedy helps. */
const deafness: readonly TimedInput['input'][] = [
  () => ({ kind: 'modem', state: { name: 'degraded', reasons: ['not-answering'] } }),
  (attempt) => ({ kind: 'out-of-step', attempt, heard: false }),
  (attempt) => ({ kind: 'opened', attempt }),
  () => ({ kind: 'modem', state: { name: 'blocked', failure: startupFailure('no-answer') } }),
  (attempt) => ({ kind: 'reset-written', attempt }),
  () => ({ kind: 'modem', state: { name: 'probing' } }),
  () => ({ kind: 'modem', state: { name: 'blocked', failure: startupFailure('no-answer') } }),
]

const timelines: fc.Arbitrary<readonly TimedInput[]> = fc
  .array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .record({
            afterMs: pauses,
            late: fc.boolean().chain((may) => (may ? fc.boolean() : fc.constant(false))),
            input,
          })
          .map((timedInput): readonly TimedInput[] => [timedInput]),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom<TimedInput['afterMs']>(0, 1000, 60_000)
          .map((afterMs): readonly TimedInput[] => deafness.map((input) => ({ afterMs, late: false, input }))),
      },
    ),
    { maxLength: 80, size: 'max' },
  )
  .map((fragments) => fragments.flat())

function live(story: readonly TimedInput[]): readonly Moment[] {
  let atMs = 0
  let step = beginRecovery(0)
  const moments: Moment[] = [{ atMs, before: step.state, step }]
  for (const { afterMs, late, input } of story) {
    const before = step.state
    atMs = afterMs === 'deadline' ? Math.max(atMs, before.deadlineMs ?? atMs) : atMs + afterMs
    step = nextRecovery(before, { ...input(before.attempt - (late ? 1 : 0)), atMs })
    moments.push({ atMs, before, step })
  }
  return moments
}

const effectsOf = (moments: readonly Moment[]) =>
  moments.flatMap(({ atMs, step }) => step.effects.map((effect) => ({ atMs, effect })))

/** Simulates one kind of environment and returns the final state. */
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
    const input = pending.shift()
    if (input === undefined) atMs = Math.max(atMs, current.deadlineMs ?? Number.POSITIVE_INFINITY)
    const step = nextRecovery(current, { ...(input ?? { kind: 'time' }), atMs })
    current = step.state
    for (const effect of step.effects) pending.push(...world(effect, current))
  }
  return current
}

const modem = (state: ModemState): RecoveryNews => ({ kind: 'modem', state })

/** A healthy modem that executes every request. */
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

describe('with any inputs in any order', () => {
  test('every state except healthy has a deadline in the near future', () => {
    fc.assert(
      fc.property(timelines, (story) => {
        for (const { atMs, before, step } of live(story)) {
          if (step.state.kind === 'healthy') continue
          const longest = Math.max(limits.startLimitMs, ...limits.resetPausesMs)
          expect(step.state.deadlineMs).toBeLessThanOrEqual(Math.max(atMs + longest, before.deadlineMs ?? 0))
        }
      }),
      runs,
    )
  })

  test('automatic resets stay within the budget: three, and one per hour of uninterrupted health', () => {
    fc.assert(
      fc.property(timelines, (story) => {
        const moments = live(withoutRequests(story))
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

  test('every automatic reset waits for its pause', () => {
    fc.assert(
      fc.property(timelines, (story) => {
        const times = effectsOf(live(withoutRequests(story))).flatMap(({ atMs, effect }) =>
          effect.kind === 'reset' ? [atMs] : [],
        )
        for (const [at, atMs] of times.entries()) {
          const before = times[at - 1]
          if (before !== undefined) expect(atMs - before).toBeGreaterThanOrEqual(Math.min(...limits.resetPausesMs))
        }
      }),
      runs,
    )
  })

  test('an alarm is cleared before a modem counts as recovered, and only if it was raised', () => {
    fc.assert(
      fc.property(timelines, (story) => {
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

  test('the stored state stays small', () => {
    fc.assert(
      fc.property(timelines, (story) => {
        const { state } = live(story).at(-1)?.step ?? beginRecovery(0)
        if (state.kind !== 'healthy') expect(state.outage.evidence.length).toBeLessThanOrEqual(30)
      }),
      runs,
    )
  })
})

describe('from any state', () => {
  const isHealthy = (state: RecoveryState) => state.kind === 'healthy' && state.service

  test('a modem that works again is healthy within a quarter of an hour, with or without an alarm', () => {
    fc.assert(
      fc.property(timelines, (story) => {
        const last = live(story).at(-1)
        if (last === undefined) return
        // Only deadlines change the state, because the machine ignores outcomes of earlier requests.
        const { state } = last.step
        const unserved = state.kind === 'healthy' && !state.service
        const longest = 900_000 + (unserved ? limits.serviceLimitMs : 0)
        expect(isHealthy(liveOn(state, last.atMs, kindWorld, isHealthy, longest))).toBe(true)
      }),
      runs,
    )
  })

  test('a modem that no remedy helps raises an alarm within two hours', () => {
    const dead = (effect: RecoveryEffect): readonly RecoveryNews[] => {
      if (effect.kind === 'open-port') return [{ kind: 'opened', attempt: effect.attempt }]
      return []
    }
    fc.assert(
      fc.property(timelines, (story) => {
        const last = live(story).at(-1)
        if (last === undefined || last.step.state.kind === 'healthy') return
        const end = liveOn(last.step.state, last.atMs, dead, ({ kind }) => kind === 'alarm', 2 * 3_600_000)
        expect(end.kind).toBe('alarm')
      }),
      runs,
    )
  })
})
