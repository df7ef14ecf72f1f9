import type { SeededRandom } from '../random.ts'
import type { ResultCode } from '../wire/result-code.ts'
import type { FaultControl } from './fault-control.ts'

type CommandFault = 'answer-late' | 'answer-lost' | 'command-refused' | 'modem-hang'

export function strikesCommand<N extends CommandFault>(
  faults: FaultControl,
  name: N,
  commands: readonly string[],
): ReturnType<typeof faults.strike<N>> {
  const standing = faults.standing(name)
  if (standing === undefined) return undefined
  const wanted = standing.command.toUpperCase().split('/')
  return wanted[0] === '' || commands.some((command) => wanted.includes(command)) ? faults.strike(name) : undefined
}

export function commandRefusal(faults: FaultControl, command: string, isRead: boolean): ResultCode | undefined {
  const names = isRead ? [command, `${command}?`] : [command]
  const refused = strikesCommand(faults, 'command-refused', names)
  if (refused === undefined) return undefined
  if (refused.code < 0) return 'ERROR'
  return smsCommand.test(command) ? { cms: refused.code } : { cme: refused.code }
}

const smsCommand = /^\+C(MG|NM|PMS|SCA|SMS|SMP|MMS|SCB|SDH|SAS|RES)/

export function promptNow(faults: FaultControl): { readonly text: string; readonly delayMs: number } {
  const delayMs = faults.strike('prompt-late')?.delayMs ?? 0
  if (faults.strike('prompt-missing')) return { text: '', delayMs }
  if (faults.strike('prompt-without-space')) return { text: '\r\n>', delayMs }
  if (faults.strike('prompt-with-newline')) return { text: '\r\n>\r\n', delayMs }
  return { text: '\r\n> ', delayMs }
}

/** Returns the unsolicited line that a fault inserts, or undefined if the fault does not occur now. */
export function intrudingLine(
  faults: FaultControl,
  place: 'urc-before-answer' | 'urc-inside-list' | 'urc-before-pdu',
  usual: () => string,
): string | undefined {
  const intruder = faults.strike(place)
  return intruder && (intruder.line === '' ? usual() : intruder.line)
}

export function noiseNow(faults: FaultControl, random: SeededRandom): string {
  if (!faults.strike('noise')) return ''
  const kind = random.integer(4)
  if (kind === 0) return '\x00'
  if (kind === 1) return '\r\n\r\n'
  if (kind === 2) return '\r\r\n'
  // Characters with which no answer can begin, because noise must not look like an answer.
  return Array.from({ length: 1 + random.integer(6) }, () => String.fromCharCode(0x80 + random.integer(0x7f))).join('')
}
