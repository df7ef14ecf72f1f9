import { readServiceCentre, type ServiceCentreAddress } from '../commands/messages/service-centre.ts'
import { askIfKnown } from '../commands/query.ts'
import { iccidQuery, type OwnNumber, readImsi, readOwnNumbers } from '../commands/sim/sim-identity.ts'
import type { Profile } from '../profiles/profile.ts'
import { askPatiently, type StartupContext } from './startup-context.ts'

export interface SimIdentity {
  /** The ICCID; undefined if the modem does not report it. */
  readonly iccid: string | undefined
  readonly imsi: string | undefined
  /** The numbers stored on the SIM, if any. */
  readonly ownNumbers: readonly OwnNumber[]
  /** `none`: the SIM has no service centre. */
  readonly serviceCentre: ServiceCentreAddress | 'none' | 'unknown'
}

/** Reads optional information about the SIM; waits only while the SIM is busy. */
export async function identifySim(context: StartupContext, profile: Profile): Promise<SimIdentity> {
  const imsi = await askPatiently(context, readImsi)
  const serviceCentre = await askPatiently(context, readServiceCentre)
  return {
    imsi: imsi.kind === 'value' ? imsi.value : undefined,
    iccid: await readIccid(context, profile),
    ownNumbers: (await askIfKnown(context.dialogue, readOwnNumbers, context.cancellation)) ?? [],
    serviceCentre: serviceCentre.kind === 'value' ? serviceCentre.value : 'unknown',
  }
}

/** Many modems report the ICCID even while the SIM is locked. */
export async function readIccid(context: StartupContext, profile: Profile): Promise<string | undefined> {
  for (const command of new Set(profile.iccidCommands)) {
    const iccid = await askIfKnown(context.dialogue, iccidQuery(command), context.cancellation)
    if (iccid !== undefined) return iccid
  }
  return undefined
}
