import { parseArgs } from 'node:util'
import { userCommand } from '@smsgw/daemon/user-command'

export type Request =
  | { readonly do: 'help' }
  | ({ readonly do: 'run'; readonly address: string; readonly command: Command } & Settings)

export type Command =
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

export interface Settings {
  readonly pin: string | undefined
  /** How sent and received bytes are shown. */
  readonly trace: 'none' | 'masked' | 'unmasked'
}

/** The arguments are wrong; the message says what. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function readArguments(argv: readonly string[]): Request {
  const { values, positionals } = parse(argv)
  if (values.help) return { do: 'help' }
  const [address, name = 'watch', ...rest] = positionals
  if (address === undefined)
    throw new UsageError('no port given. Use a device such as /dev/ttyUSB2, or tcp://host:port')
  const command = readCommand(name, rest, values)
  const trace = values.unmasked ? 'unmasked' : values.trace ? 'masked' : 'none'
  return { do: 'run', address, command, pin: values.pin, trace }
}

const options = {
  help: { type: 'boolean', short: 'h' },
  pin: { type: 'string' },
  trace: { type: 'boolean' },
  unmasked: { type: 'boolean' },
  report: { type: 'boolean' },
  flash: { type: 'boolean' },
  delete: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (error) {
    // The first sentence names the option; the other sentences do not apply here.
    throw new UsageError((error as Error).message.split('. ')[0] ?? '')
  }
}

function readCommand(name: string, rest: readonly string[], values: Values): Command {
  switch (name) {
    case 'watch':
    case 'identify':
    case 'list':
      takesNothing(name, rest)
      return { name }
    case 'receive':
      takesNothing(name, rest)
      return { name, remove: values.delete ?? false }
    case 'send': {
      const [to, ...words] = rest
      if (to === undefined || words.length === 0) throw new UsageError('send needs a number and a text')
      if (!/^\+?[0-9*#]{1,20}$/.test(to)) throw new UsageError(`${to} is not a valid number; for example +447700900123`)
      return { name, to, text: words.join(' '), report: values.report ?? false, flash: values.flash ?? false }
    }
    case 'delete':
      return readDelete(rest)
    case 'ussd':
      if (rest.length === 0) throw new UsageError('ussd needs a code, such as *100#')
      return { name, codes: rest }
    default:
      throw new UsageError(`unknown command ${name}; --help lists the commands`)
  }
}

function readDelete(rest: readonly string[]): Command {
  const [memory = '', index = '', ...more] = rest
  if (memory === 'all' && index === '') return { name: 'delete-all' }
  if (!/^[A-Za-z]{2}$/.test(memory) || !/^\d{1,4}$/.test(index) || more.length > 0) {
    throw new UsageError('delete needs a memory and an index as list shows them, such as SM 3, or all')
  }
  return { name: 'delete', memory: memory.toUpperCase(), index: Number(index) }
}

function takesNothing(name: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`${name} takes no arguments; remove ${rest.join(' ')}`)
}

export const helpText = `Identifies a GSM modem, shows its state, and sends and receives messages.

${userCommand('modem', '<port> [command] [options]')}

Port:
  /dev/ttyUSB2             a serial port, or the pseudo-terminal of the emulator
  tcp://127.0.0.1:7001     ser2net in raw mode, or the emulator

Commands:
  watch                    show identity, then state changes until Ctrl-C (default)
  identify                 show identity and current state
  send <number> <text>     --report waits up to two minutes for a delivery report; --flash displays it at once
  receive                  show messages until Ctrl-C; --delete removes each one after it is shown
  list                     list all messages on the SIM and the modem
  delete <memory> <index>  delete a message that list shows, such as: delete SM 3
  delete all               delete all messages
  ussd <code> [reply …]    send a USSD code, such as *100#; replies answer its menus

Options:
  --pin <digits>           PIN of the SIM; entered once, and never when only one attempt is left
  --trace                  print sent and received bytes on standard error, with numbers and texts masked
  --unmasked               like --trace, without masking
  --help                   show this help

The port and each step are printed on standard error. If the modem is not ready within two minutes, or a command does not
finish in time, the error says what to do.

Exit codes: 0 success, 1 failure, 2 wrong arguments, 3 unknown whether a message was sent.
`
