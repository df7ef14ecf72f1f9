import { type Finished, fail } from '../command.ts'
import type { FaultControl } from '../fault-control.ts'
import { fault } from './fault-description.ts'

/** `command` names one, as `+CMGL`; empty: any. */
export const dialogueFaults = {
  'answer-late': fault('The answer to a command comes late', { delayMs: 10_000, command: '' }),
  'answer-lost': fault('The answer to a command never comes', { command: '' }),
  'command-refused': fault('A command is refused; code -1: a plain ERROR', { command: '+CNMI', code: -1 }),
  'modem-hang': fault('Nothing is answered any more until a reset', { command: '' }),
  'numeric-answers': fault('Final results are numbers, as after ATV0'),
}

type CommandFault = 'answer-late' | 'answer-lost' | 'command-refused' | 'modem-hang'

export function strikesCommand<N extends CommandFault>(
  faults: FaultControl,
  name: N,
  commands: readonly string[],
): ReturnType<typeof faults.strike<N>> {
  const standing = faults.standing(name)
  if (standing === undefined) return undefined
  const wanted = standing.command.toUpperCase()
  return wanted === '' || commands.includes(wanted) ? faults.strike(name) : undefined
}

export function refusal(faults: FaultControl, command: string): Finished | undefined {
  const refused = strikesCommand(faults, 'command-refused', [command])
  if (refused === undefined) return undefined
  if (refused.code < 0) return fail('ERROR')
  return fail(smsCommand.test(command) ? { cms: refused.code } : { cme: refused.code })
}

const smsCommand = /^\+C(MG|NM|PMS|SCA|SMS|SMP|MMS|SCB|SDH|SAS|RES)/
