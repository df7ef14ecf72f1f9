import { followNetworkTime, reportTimeZone } from '../commands/network/network-time.ts'
import {
  type RegistrationDomain,
  readRegistration,
  registrationDomains,
  reportRegistration,
} from '../commands/network/registration.ts'
import { askIfKnown, type Query, runQuery } from '../commands/query.ts'
import { Pause } from '../pause.ts'
import type { Profile } from '../profiles/profile.ts'
import { showCallers } from '../receive/incoming-calls.ts'
import { BriefWaits } from './brief-waits.ts'
import { configureMessages, type MessageConfiguration } from './configure-messages.ts'
import { identifyModem, type ModemIdentity, readModemNumberOf } from './identify-modem.ts'
import { identifySim, type SimIdentity } from './identify-sim.ts'
import type { StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'
import { unlockSim } from './unlock-sim.ts'

/** The result of a successful setup. */
export interface ModemSession {
  readonly identity: ModemIdentity
  readonly profile: Profile
  readonly sim: SimIdentity
  readonly messages: MessageConfiguration
  /** The registration codes that this modem supports. Empty if the registration cannot be read. */
  readonly registrationDomains: readonly RegistrationDomain[]
  /** The functions that this modem lacks. */
  readonly shortcomings: readonly Shortcoming[]
}

export type Shortcoming =
  /** The modem does not indicate messages; sweeps find them. */
  | 'no-indications'
  | 'no-delivery-reports'
  /** The modem can send, but its received messages cannot be read. */
  | 'no-readable-memory'
  /** The modem refuses `AT+CPMS`, so only its current memory is read. */
  | 'memory-not-selectable'
  /** The modem does not answer `AT+CPIN?`, but its SIM works. */
  | 'sim-state-unreadable'
  /** The modem answers no question about its registration, so it is considered registered. */
  | 'registration-unreadable'
  /** Sending will fail until a service centre is configured. */
  | 'no-service-centre'
  /** The modem reports neither an IMEI nor a serial number. */
  | 'no-imei'
  /** The modem reports a serial number that is not an IMEI. */
  | 'imei-malformed'
  /** The modem refuses a bare `AT`. */
  | 'at-refused'
  /** The modem refuses `AT+CMEE=1`, so errors have no numbers. */
  | 'no-error-codes'
  /** The modem echoes each command with any setting. */
  | 'echo-stays-on'
  /** The modem does not answer `AT+CNMI?`, so a lost setting goes unnoticed. */
  | 'indications-unverified'
  /** A HiLink stick: no references, no delivery reports, no PDUs. */
  | 'web-interface'

export type StartupOutcome =
  | { readonly kind: 'started'; readonly session: ModemSession }
  | { readonly kind: 'failed'; readonly failure: StartupFailure }
  | { readonly kind: 'cancelled' }

/**
 * Sets a modem up by negotiating its functions. Setup is repeated from the beginning after every sign of a restart,
 * because the modem has then lost its settings. Optional commands may be refused. A refusal of any other command ends
 * setup with a reason.
 */
export async function startUp(given: StartupContext): Promise<StartupOutcome> {
  const context = { ...given, dialogue: new BriefWaits(given.dialogue, given.clock) }
  const result = await negotiate(context)
  if (context.cancellation.cancelled) return { kind: 'cancelled' }
  if (!('reason' in result) || !contactFailures.has(result.reason)) {
    // Checks that the modem still answers. Nearly every step accepts a missing answer, so a modem that stops answering
    // during setup would look like a modem without functions.
    const silent = await fellSilent(context)
    if (context.cancellation.cancelled) return { kind: 'cancelled' }
    if (silent) return { kind: 'failed', failure: startupFailure('fell-silent') }
  }
  return 'reason' in result ? { kind: 'failed', failure: result } : { kind: 'started', session: result }
}

const contactFailures: ReadonlySet<string> = new Set(['no-answer', 'garbled', 'not-a-modem', 'port-lost'])

async function fellSilent({ dialogue }: StartupContext): Promise<boolean> {
  return dialogue.telemetry.state !== 'in-step' && (await dialogue.resynchronise()).kind !== 'in-step'
}

async function negotiate(context: StartupContext): Promise<ModemSession | StartupFailure> {
  context.onStage('probing')
  const contact = await contactModem(context)
  if ('reason' in contact) return contact

  context.onStage('identifying')
  const modem = await identifyModem(context)
  const { echoes } = context.dialogue.telemetry

  context.onStage('sim')
  const unlocked = await unlockSim(context, modem.profile)
  if (typeof unlocked === 'object') return unlocked
  const messages = await configureMessages(context, modem.profile)
  if ('reason' in messages) return messages
  const sim = await identifySim(context, modem.profile)

  const domains = await askForRegistrationNews(context)
  await runQuery(context.dialogue, followNetworkTime, context.cancellation)
  await runQuery(context.dialogue, reportTimeZone, context.cancellation)
  await runQuery(context.dialogue, showCallers, context.cancellation)
  // Reads a missing IMEI again. A modem that is still starting may refuse to report it, but a modem whose SIM is ready
  // has started.
  const identity = modem.identity.imei ? modem.identity : { ...modem.identity, ...(await readModemNumberOf(context)) }
  const shortcomings = [
    ...shortcomingsOf(messages, sim),
    ...(unlocked === 'state-unreadable' ? ['sim-state-unreadable' as const] : []),
    ...(domains.length === 0 ? ['registration-unreadable' as const] : []),
    ...(identity.imei ? [] : [identity.serial ? ('imei-malformed' as const) : ('no-imei' as const)]),
    ...(contact.atRefused ? ['at-refused' as const] : []),
    ...(modem.refused.includes('AT+CMEE=1') ? ['no-error-codes' as const] : []),
    ...(context.dialogue.telemetry.echoes > echoes ? ['echo-stays-on' as const] : []),
  ]
  const { profile } = modem
  return { identity, profile, sim, messages, registrationDomains: domains, shortcomings }
}

/** Mode 2 also reports the cell; some modems support only mode 1. An LTE-only modem supports only `+CEREG`. */
async function askForRegistrationNews(context: StartupContext): Promise<readonly RegistrationDomain[]> {
  const supported: RegistrationDomain[] = []
  for (const domain of registrationDomains) {
    for (const mode of [2, 1] as const) {
      const answer = await runQuery(context.dialogue, reportRegistration(domain, mode), context.cancellation)
      if (answer.kind !== 'value') continue
      supported.push(domain)
      break
    }
  }
  return supported.length > 0 ? supported : readableDomains(context)
}

/** Some modems report the registration only in answers to queries. */
async function readableDomains({ dialogue, cancellation }: StartupContext): Promise<readonly RegistrationDomain[]> {
  const readable: RegistrationDomain[] = []
  for (const domain of registrationDomains) {
    if ((await askIfKnown(dialogue, readRegistration(domain), cancellation)) !== undefined) readable.push(domain)
  }
  return readable
}

function shortcomingsOf(messages: MessageConfiguration, sim: SimIdentity): readonly Shortcoming[] {
  const shortcomings: Shortcoming[] = []
  if (messages.indications === undefined) shortcomings.push('no-indications')
  else if (messages.indicationsReadBack === undefined) shortcomings.push('indications-unverified')
  if (messages.indications?.reports === 0) shortcomings.push('no-delivery-reports')
  if (messages.memories.length === 0) shortcomings.push('no-readable-memory')
  else if (!messages.memorySelectable) shortcomings.push('memory-not-selectable')
  if (sim.serviceCentre === 'none') shortcomings.push('no-service-centre')
  return shortcomings
}

/** Sends ESC and AT until the modem answers, because it may be booting or detecting the baud rate. */
async function contactModem(context: StartupContext): Promise<ModemContact | StartupFailure> {
  const until = context.clock.nowMs() + contactLimitMs
  let heard = false
  let mayHaveCall = false
  for (;;) {
    const outcome = await context.dialogue.resynchronise()
    if (outcome.kind === 'closed') return startupFailure('port-lost')
    if (outcome.kind === 'in-step') {
      if (mayHaveCall) await runQuery(context.dialogue, hangUpDataCall, context.cancellation)
      return { atRefused: outcome.atRefused }
    }
    if (outcome.okToAll) return startupFailure('not-a-modem')
    heard ||= outcome.heard
    if (context.cancellation.cancelled || context.clock.nowMs() >= until) {
      return startupFailure(heard ? 'garbled' : 'no-answer')
    }
    context.dialogue.writeRaw(closeMultiplexer)
    await leaveDataMode(context)
    mayHaveCall = true
  }
}

/**
 * Ends the data state of a call that a crashed program (such as pppd) left open, by writing `+++` between two periods
 * of silence. V.250 §5.7. In the command state, the characters are ignored, because no `AT` precedes them.
 */
async function leaveDataMode({ clock, cancellation, dialogue }: StartupContext): Promise<void> {
  const pause = new Pause(clock)
  await pause.wait(guardMs, cancellation)
  if (!cancellation.cancelled) dialogue.writeRaw('+++')
  await pause.wait(guardMs, cancellation)
}

/** Longer than the usual guard time of one second (S12). */
const guardMs = 1_200

const hangUpDataCall: Query<true> = { text: 'ATH', timeoutMs: 10_000, read: () => true }

export interface ModemContact {
  /** The modem answers a bare `AT` with an error. */
  readonly atRefused: boolean
}

/** The time limit for the modem's first answer. */
const contactLimitMs = 60_000

// 27.010 §5.4.6.3.3, the basic option of the close-down command of the multiplexer. A crashed program may leave Quectel
// modems in multiplexer mode.
const closeMultiplexer = '\xf9\x03\xef\x05\xc3\x01\xf2\xf9'
