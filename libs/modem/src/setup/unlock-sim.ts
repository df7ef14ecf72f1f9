import { canSendSms, readRegistration, registrationDomains } from '../commands/network/registration.ts'
import { askIfKnown, type Query, runQuery } from '../commands/query.ts'
import type { PinTries } from '../commands/sim/pin-counter.ts'
import { readImsi } from '../commands/sim/sim-identity.ts'
import { enterSimPin, type PinState, pinStateOf, pinStateOfError, readPinLock } from '../commands/sim/sim-pin.ts'
import type { CommandError } from '../dialogue/errors/command-error.ts'
import type { Profile } from '../profiles/profile.ts'
import { readIccid } from './identify-sim.ts'
import { beginPinAttempt, type PinAttempt } from './pin-attempt.ts'
import { hasFallen } from './pin-memory.ts'
import type { StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'

/** `state-unreadable`: the modem does not report the state of its SIM, but the SIM works. */
export type Unlocked = 'ready' | 'state-unreadable'

/**
 * Waits until the SIM is ready. The PIN is entered once, after the number of attempts left was read, and never as the
 * last attempt. If the SIM requires its PUK, no code is entered.
 */
export async function unlockSim(context: StartupContext, profile: Profile): Promise<StartupFailure | Unlocked> {
  const state = await awaitSettledState(context, profile)
  switch (state) {
    case 'ready':
    // Neither PIN2 nor PUK2 protects messages.
    case 'pin2':
    case 'puk2':
      await settleEnteredPin(context, profile)
      return 'ready'
    case 'state-unreadable':
      return state
    case 'pin':
      if (await asksForNothing(context, profile)) return 'ready'
      return (await unlockWithPin(context, profile)) ?? 'ready'
    case 'puk':
      return startupFailure('puk-required', 'SIM PUK')
    case 'modem-locked':
      return startupFailure('modem-locked')
    case 'no-sim':
      return startupFailure('no-sim')
    case 'sim-failure':
      return startupFailure('sim-failure')
    case 'busy':
      return startupFailure(context.cancellation.cancelled ? 'port-lost' : 'sim-busy')
    case undefined:
      return startupFailure(context.cancellation.cancelled ? 'port-lost' : 'sim-state-unknown')
  }
}

/** A modem that has just started may report a missing SIM for this long although a SIM is inserted. */
const simAbsentLimitMs = 10_000

/** Repeats the query until the state of the SIM is final, so that waiting longer would not help. */
async function awaitSettledState(
  context: StartupContext,
  profile: Profile,
): Promise<PinState | 'state-unreadable' | undefined> {
  const startedAtMs = context.clock.nowMs()
  const { simPollMs, simBusyLimitMs } = context.options
  for (;;) {
    const state = pinStateOf(await runQuery(context.dialogue, profile.pinState, context.cancellation))
    const waitedMs = context.clock.nowMs() - startedAtMs
    if (state === undefined && waitedMs >= simAbsentLimitMs && (await simWorks(context))) return 'state-unreadable'
    const mayChange =
      state === 'busy' || state === undefined
        ? waitedMs < simBusyLimitMs
        : (state === 'no-sim' || state === 'sim-failure') && waitedMs < simAbsentLimitMs
    if (!mayChange || context.cancellation.cancelled) return state
    await context.pause.wait(simPollMs, context.cancellation)
  }
}

/** Returns true if the modem reports an IMSI or a registration. Both require a SIM that is not locked. */
async function simWorks({ dialogue, cancellation }: StartupContext): Promise<boolean> {
  if ((await askIfKnown(dialogue, readImsi, cancellation)) !== undefined) return true
  for (const domain of registrationDomains) {
    const registration = await askIfKnown(dialogue, readRegistration(domain), cancellation)
    if (registration !== undefined && canSendSms(registration)) return true
  }
  return false
}

/** Option modems report `SIM PIN` even if the PIN is disabled. */
async function asksForNothing(context: StartupContext, profile: Profile): Promise<boolean> {
  if (profile.pinQuirk !== 'asks-when-disabled') return false
  return (await askIfKnown(context.dialogue, readPinLock, context.cancellation)) === 'disabled'
}

async function unlockWithPin(context: StartupContext, profile: Profile): Promise<StartupFailure | undefined> {
  const { pinMemory, options } = context
  const pin = options.simPin
  if (pin === undefined) return startupFailure('pin-required', undefined, (await triesLeft(context, profile))?.pin)
  const entry = enterSimPin(pin)
  if (entry === undefined) return startupFailure('pin-malformed')
  const sim = (await readIccid(context, profile)) ?? null
  const tries = (await triesLeft(context, profile))?.pin
  const attempt = await beginPinAttempt(pinMemory, sim, pin, tries)
  return 'reason' in attempt ? attempt : enterNotedPin(context, profile, entry, attempt)
}

async function enterNotedPin(
  context: StartupContext,
  profile: Profile,
  entry: Query<true>,
  { entered, takeBack }: PinAttempt,
): Promise<StartupFailure | undefined> {
  const { pinMemory } = context
  const answer = await runQuery(context.dialogue, entry, context.cancellation)
  if (answer.kind === 'not-sent') {
    await takeBack()
    return startupFailure('port-lost')
  }
  if (answer.kind === 'refused') {
    const left = (await triesLeft(context, profile))?.pin
    if (saysWrong(answer.error) || hasFallen(entered, left)) {
      await pinMemory.note({ ...entered, verdict: 'refused' })
      return startupFailure('pin-wrong', answer.error.text, left)
    }
  }
  const failure = await awaitUnlocked(context, profile)
  if (failure === undefined) {
    await pinMemory.forget(entered.sim, entered.pin)
  } else if (failure.reason === 'pin-not-taken') {
    const left = (await triesLeft(context, profile))?.pin
    if (context.cancellation.cancelled) return startupFailure('port-lost')
    const wrong = hasFallen(entered, left)
    // True if the SIM was busy, and so did not check the PIN.
    const busy = !wrong && answer.kind === 'refused' && pinStateOfError(answer.error) === 'busy' && left !== undefined
    if (busy) return startupFailure('sim-busy', answer.error.text)
    await pinMemory.note({ ...entered, verdict: wrong ? 'refused' : 'spent' })
    if (wrong) return startupFailure('pin-wrong', undefined, left)
  }
  return failure
}

// 27.007 §9.2: incorrect password. Any other error number has another cause.
function saysWrong({ source, code }: CommandError): boolean {
  return source === 'cme' && code === 16
}

/**
 * Deletes the record of the last PIN entry, which was interrupted. This start entered no PIN, but the SIM is ready.
 * Therefore the interrupted entry must have unlocked the SIM.
 */
async function settleEnteredPin(context: StartupContext, profile: Profile): Promise<void> {
  const { simPin } = context.options
  if (simPin === undefined || context.pinMemory.find(null, simPin)?.verdict !== 'open') return
  const sim = (await readIccid(context, profile)) ?? null
  if (context.pinMemory.find(sim, simPin)?.verdict === 'open') await context.pinMemory.forget(sim, simPin)
}

/**
 * Repeats the query for several seconds, because most modems do not report the change and still answer `SIM PIN` for a
 * while.
 */
async function awaitUnlocked(context: StartupContext, profile: Profile): Promise<StartupFailure | undefined> {
  const until = context.clock.nowMs() + context.options.simBusyLimitMs
  for (;;) {
    const state = pinStateOf(await runQuery(context.dialogue, profile.pinState, context.cancellation))
    if (state === 'ready' || state === 'pin2' || state === 'puk2') return undefined
    if (state === 'puk') return startupFailure('puk-required', 'SIM PUK')
    if (context.cancellation.cancelled) return startupFailure('port-lost')
    if (context.clock.nowMs() >= until) return startupFailure(state === 'pin' ? 'pin-not-taken' : 'sim-busy')
    await context.pause.wait(context.options.simPollMs, context.cancellation)
  }
}

async function triesLeft(context: StartupContext, profile: Profile): Promise<PinTries | undefined> {
  for (const counter of profile.pinCounters) {
    const tries = await askIfKnown(context.dialogue, counter, context.cancellation)
    if (tries !== undefined) return tries
  }
  return undefined
}
