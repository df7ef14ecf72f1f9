import { readOperator } from '@smsgw/modem/commands/operator'
import type { Modem } from '@smsgw/modem/modem'
import type { SimIdentity } from '@smsgw/modem/startup/identify-sim'
import { printTable } from './print.ts'
import { signalWords, stateWords } from './state-words.ts'

/** Who it is, what is in it, and how it is now. */
export async function identify(modem: Modem): Promise<void> {
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
    ['ICCID', sim.iccid],
    ['IMSI', sim.imsi],
    ['Own number', sim.ownNumbers.map(({ number }) => number).join(', ')],
    ['Service centre', serviceCentreWords(sim.serviceCentre)],
    ['State', stateWords(modem.state)],
    ['Operator', operator.kind === 'value' && operator.value !== 'none' ? operatorWords(operator.value) : undefined],
    ['Signal', signal && signalWords(signal)],
    ['Memories', modem.storage.map(({ memory, used, total }) => `${memory} ${used} of ${total}`).join(', ')],
    ['Does without', session.shortcomings.join(', ')],
    ...profile.advice.map((words): [string, string] => ['Note', words]),
  ])
}

function serviceCentreWords(centre: SimIdentity['serviceCentre']): string {
  return typeof centre === 'string' ? centre : centre.number
}

function operatorWords({
  name,
  technology,
}: {
  readonly name: string
  readonly technology: string | undefined
}): string {
  return technology === undefined ? name : `${name}, ${technology}`
}
