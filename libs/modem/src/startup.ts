import { followNetworkTime, reportTimeZone } from './commands/network-time.ts'
import { ask } from './commands/query.ts'
import { type RegistrationDomain, registrationDomains, reportRegistration } from './commands/registration.ts'
import type { Profile } from './profiles/profile.ts'
import { configureMessages, type MessageConfiguration } from './startup/configure-messages.ts'
import { identifyModem, type ModemIdentity } from './startup/identify-modem.ts'
import { identifySim, type SimIdentity } from './startup/identify-sim.ts'
import { makeContact } from './startup/make-contact.ts'
import type { StartupContext } from './startup/startup-context.ts'
import { type StartupFailure, startupFailure } from './startup/startup-failure.ts'
import { unlockSim } from './startup/unlock-sim.ts'

/** What a start has found out and set up. */
export interface Session {
  readonly identity: ModemIdentity
  readonly profile: Profile
  readonly sim: SimIdentity
  readonly messages: MessageConfiguration
  /** The registration codes that this modem knows. */
  readonly registrationDomains: readonly RegistrationDomain[]
  /** What it does without. */
  readonly shortcomings: readonly Shortcoming[]
}

export type Shortcoming =
  /** Nothing tells of what arrives; it is found by looking. */
  | 'no-indications'
  | 'no-delivery-reports'
  /** It can send, and shows nothing that arrives. */
  | 'no-readable-memory'
  /** Sending will fail until one is configured. */
  | 'no-service-centre'
  /** As above, for the one that is configured is no number. */
  | 'service-centre-malformed'

export type StartupOutcome =
  | { readonly kind: 'started'; readonly session: Session }
  | { readonly kind: 'failed'; readonly failure: StartupFailure }
  | { readonly kind: 'cancelled' }

/**
 * Sets a modem up by asking it what it can do. Repeated from the beginning after every sign that it has restarted, for
 * it forgets all of it then. What is optional may be refused; what is not ends the start with a reason.
 */
export async function startUp(context: StartupContext): Promise<StartupOutcome> {
  const result = await negotiate(context)
  if (context.cancellation.cancelled) return { kind: 'cancelled' }
  if (!('reason' in result) || !contactFailures.has(result.reason)) {
    // Nearly every step tolerates a refusal, so a modem that died half way looks like one that can do nothing.
    const silent = await fellSilent(context)
    if (context.cancellation.cancelled) return { kind: 'cancelled' }
    if (silent) return { kind: 'failed', failure: startupFailure('fell-silent') }
  }
  return 'reason' in result ? { kind: 'failed', failure: result } : { kind: 'started', session: result }
}

const contactFailures: ReadonlySet<string> = new Set(['no-answer', 'garbled', 'port-lost'])

async function fellSilent({ dialogue }: StartupContext): Promise<boolean> {
  return dialogue.telemetry.state !== 'in-step' && (await dialogue.resynchronise()).kind !== 'in-step'
}

async function negotiate(context: StartupContext): Promise<Session | StartupFailure> {
  context.say('probing')
  const noContact = await makeContact(context)
  if (noContact) return noContact

  context.say('identifying')
  const modem = await identifyModem(context)
  if ('reason' in modem) return modem

  context.say('sim')
  const locked = await unlockSim(context, modem.profile)
  if (locked) return locked
  const messages = await configureMessages(context, modem.profile)
  if ('reason' in messages) return messages
  const sim = await identifySim(context, modem.profile)

  const domains = await askForRegistrationNews(context)
  await ask(context.dialogue, followNetworkTime, context.cancellation)
  await ask(context.dialogue, reportTimeZone, context.cancellation)
  return { ...modem, sim, messages, registrationDomains: domains, shortcomings: shortcomingsOf(messages, sim) }
}

/** Mode 2 tells the cell; some know mode 1 alone. An LTE-only modem knows nothing but `+CEREG`. */
async function askForRegistrationNews(context: StartupContext): Promise<readonly RegistrationDomain[]> {
  const supported: RegistrationDomain[] = []
  for (const domain of registrationDomains) {
    for (const mode of [2, 1] as const) {
      const answer = await ask(context.dialogue, reportRegistration(domain, mode), context.cancellation)
      if (answer.kind !== 'value') continue
      supported.push(domain)
      break
    }
  }
  return supported.length > 0 ? supported : ['+CREG']
}

function shortcomingsOf(messages: MessageConfiguration, sim: SimIdentity): readonly Shortcoming[] {
  const shortcomings: Shortcoming[] = []
  if (messages.indications === undefined) shortcomings.push('no-indications')
  else if (messages.indications.reports === 0) shortcomings.push('no-delivery-reports')
  if (messages.memories.length === 0) shortcomings.push('no-readable-memory')
  if (sim.serviceCentre === 'none') shortcomings.push('no-service-centre')
  if (sim.serviceCentre === 'malformed') shortcomings.push('service-centre-malformed')
  return shortcomings
}
