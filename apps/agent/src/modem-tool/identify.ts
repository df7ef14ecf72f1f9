import { readOperator } from '@smsgw/modem/commands/network/operator'
import type { Signal } from '@smsgw/modem/commands/network/signal'
import type { Modem } from '@smsgw/modem/modem'
import type { SimIdentity } from '@smsgw/modem/setup/identify-sim'
import { printTable } from '../cli/terminal.ts'
import { shortcomingTexts } from '../modems/modem-descriptions.ts'
import { stateText } from '../modems/modem-health.ts'

/** Prints the identity of the modem, its SIM and its current state. */
export async function printIdentity(modem: Modem): Promise<void> {
  const { session } = modem
  if (session === undefined) return
  const operator = await modem.ask(readOperator)
  const signal = await modem.signal()
  await modem.sweep()
  const { identity, sim, profile } = session
  printTable([
    ['Modem', [identity.manufacturer, identity.model, identity.firmware].filter(Boolean).join(', ')],
    ['Profile', profile.name],
    ['IMEI', identity.imei],
    ['Serial number', identity.serial],
    ['ICCID', sim.iccid],
    ['IMSI', sim.imsi],
    ['Own number', sim.ownNumbers.map(({ number }) => number).join(', ')],
    ['Service centre', serviceCentreText(sim.serviceCentre)],
    ['State', stateText(modem.state)],
    ['Operator', operator.kind === 'value' && operator.value !== 'none' ? operatorText(operator.value) : undefined],
    ['Signal', signal && signalText(signal)],
    ['Memories', modem.storage.map(({ memory, used, total }) => `${memory} ${used} of ${total}`).join(', ')],
    ...session.shortcomings.map((each): [string, string] => ['Warning', shortcomingTexts[each]]),
    ...profile.advice.map((words): [string, string] => ['Note', words]),
  ])
}

function serviceCentreText(centre: SimIdentity['serviceCentre']): string {
  return typeof centre === 'string' ? centre : centre.number
}

function operatorText({
  name,
  technology,
}: {
  readonly name: string
  readonly technology: string | undefined
}): string {
  return technology === undefined ? name : `${name}, ${technology}`
}

export function signalText({ dBm, bars }: Signal): string | undefined {
  return dBm === undefined ? undefined : `${dBm} dBm, ${bars ?? '?'} of 4 bars`
}
