import {
  type CommandHelp,
  type CommandLine,
  commandLines,
  type ProgramCommands,
  readOptions,
  unknownCommand,
} from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'
import { modemToolCommands } from './commands.ts'

export type ToolRequest =
  | { readonly do: 'help' }
  | { readonly do: 'version' }
  | ({ readonly do: 'run'; readonly address: string; readonly command: ToolCommand } & ToolSettings)

export type ToolCommand =
  | { readonly name: 'watch' }
  | { readonly name: 'identify' }
  | {
      readonly name: 'send'
      readonly to: string
      readonly text: string
      readonly report: boolean
      readonly flash: boolean
    }
  | { readonly name: 'receive'; readonly remove: boolean }
  | { readonly name: 'list' }
  | { readonly name: 'delete'; readonly memory: string; readonly index: number }
  | { readonly name: 'delete-all' }
  | { readonly name: 'ussd'; readonly codes: readonly string[] }
  | { readonly name: 'record'; readonly file: string; readonly to: string | undefined; readonly isAgreed: boolean }

export interface ToolSettings {
  readonly pin: string | undefined
  /** How the tool shows sent and received bytes. */
  readonly trace: 'none' | 'masked' | 'unmasked'
}

export function readArguments(argv: readonly string[]): ToolRequest {
  if (argv.includes('--help') || argv.includes('-h')) return { do: 'help' }
  if (argv[0] === '--version') return { do: 'version' }
  const { values, positionals } = readOptions(allOptions, '', argv)
  const [address, name = 'watch', ...rest] = positionals
  if (address === undefined)
    throw new UsageError('no port given. Use a device such as /dev/ttyUSB2, or tcp://host:port')
  const command = readCommand(name, rest, values)
  const trace = values['unmasked'] === true ? 'unmasked' : values['trace'] === true ? 'masked' : 'none'
  const pin = values['pin'] === undefined ? undefined : String(values['pin'])
  return { do: 'run', address, command, pin, trace }
}

type Values = CommandLine['values']

/** The options of all commands. Each command ignores the options that it does not have. */
const allOptions: ProgramCommands = {
  ...modemToolCommands,
  options: Object.assign(
    {},
    modemToolCommands.options,
    ...Object.values<CommandHelp>(modemToolCommands.commands).map(({ options }) => options),
  ),
}

function readCommand(name: string, rest: readonly string[], values: Values): ToolCommand {
  switch (name) {
    case 'watch':
    case 'identify':
    case 'list':
      takesNothing(name, rest)
      return { name }
    case 'receive':
      takesNothing(name, rest)
      return { name, remove: values['delete'] === true }
    case 'send': {
      const [to, ...words] = rest
      if (to === undefined || words.length === 0) throw new UsageError('send needs a number and a text')
      checkNumber(to)
      return { name, to, text: words.join(' '), report: values['report'] === true, flash: values['flash'] === true }
    }
    case 'delete':
      return readDelete(rest)
    case 'ussd':
      if (rest.length === 0) throw new UsageError('ussd needs a code, such as *100#')
      return { name, codes: rest }
    case 'record': {
      const [file, ...more] = rest
      if (file === undefined || more.length > 0) throw new UsageError('record needs the name of one file to write')
      const to = values['to'] === undefined ? undefined : String(values['to'])
      if (to !== undefined) checkNumber(to)
      return { name, file, to, isAgreed: values['yes'] === true }
    }
    default:
      throw unknownCommand(modemToolCommands.commands, name)
  }
}

function checkNumber(to: string): void {
  if (!/^\+?[0-9*#]{1,20}$/.test(to)) throw new UsageError(`${to} is not a valid number: write it like +447700900123`)
}

function readDelete(rest: readonly string[]): ToolCommand {
  const [memory = '', index = '', ...more] = rest
  if (memory === 'all' && index === '') return { name: 'delete-all' }
  if (!/^[A-Za-z]{2}$/.test(memory) || !/^\d{1,4}$/.test(index) || more.length > 0) {
    throw new UsageError('"delete" needs "all", or a memory and an index from the output of "list", for example SM 3')
  }
  return { name: 'delete', memory: memory.toUpperCase(), index: Number(index) }
}

function takesNothing(name: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`${name} takes no arguments; remove ${rest.join(' ')}`)
}

export const modemToolHelp = `Identifies a GSM modem, shows its state, and sends and receives messages.

${commandLines(modemToolCommands).join('\n')}

Port:
  /dev/ttyUSB2             a serial port, or the pseudo-terminal of the emulator
  tcp://127.0.0.1:7001     ser2net in raw mode, or the emulator

The port and each step are printed on standard error. If the modem is not ready within two minutes, or a command does not
finish in time, the error describes the solution.

Exit codes: 0 success, 1 failure, 2 wrong arguments, 3 unknown whether a message was sent.
`
