import { ask, askIfKnown } from '../commands/query.ts'
import { readServiceCentre, type ServiceCentre, writeServiceCentre } from '../commands/service-centre.ts'
import { iccidQuery, type OwnNumber, readImsi, readOwnNumbers } from '../commands/sim-identity.ts'
import type { Profile } from '../profiles/profile.ts'
import { askPatiently, type StartupContext } from './startup-context.ts'

export interface SimIdentity {
  /** Undefined if the modem does not report it. */
  readonly iccid: string | undefined
  readonly imsi: string | undefined
  /** The numbers stored on the SIM, if any. */
  readonly ownNumbers: readonly OwnNumber[]
  /** `malformed`: the SIM has none, and the configured one is not a number. */
  readonly serviceCentre: ServiceCentre | 'none' | 'malformed' | 'unknown'
}

/** Reads optional information about the SIM; waits only while the SIM is busy. */
export async function identifySim(context: StartupContext, profile: Profile): Promise<SimIdentity> {
  const imsi = await askPatiently(context, readImsi)
  const serviceCentre = await settleServiceCentre(context)
  return {
    imsi: imsi.kind === 'value' ? imsi.value : undefined,
    iccid: await readIccid(context, profile),
    ownNumbers: (await askIfKnown(context.dialogue, readOwnNumbers, context.cancellation)) ?? [],
    serviceCentre,
  }
}

/**
 * Reads the service centre and writes the configured one if there is none: some SIMs have none, and some modems lose
 * it.
 */
async function settleServiceCentre(context: StartupContext): Promise<SimIdentity['serviceCentre']> {
  const found = await askPatiently(context, readServiceCentre)
  const number = context.options.serviceCentre
  if (found.kind !== 'value') return 'unknown'
  if (found.value !== 'none' || number === undefined) return found.value
  const write = writeServiceCentre(number)
  if (write === undefined) return 'malformed'
  await ask(context.dialogue, write, context.cancellation)
  return (await askIfKnown(context.dialogue, readServiceCentre, context.cancellation)) ?? 'unknown'
}

/** Many modems report it while the SIM is locked, too. */
export async function readIccid(context: StartupContext, profile: Profile): Promise<string | undefined> {
  for (const command of new Set(profile.iccidCommands)) {
    const iccid = await askIfKnown(context.dialogue, iccidQuery(command), context.cancellation)
    if (iccid !== undefined) return iccid
  }
  return undefined
}
