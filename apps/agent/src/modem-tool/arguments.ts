import { parseArgs } from 'node:util'

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
  /** How the bytes that go to and fro are shown. */
  readonly trace: 'none' | 'masked' | 'unmasked'
}

/** Something in the arguments is wrong; the message says what. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function readArguments(argv: readonly string[]): Request {
  const { values, positionals } = parse(argv)
  if (values.help) return { do: 'help' }
  const [address, name = 'watch', ...rest] = positionals
  if (address === undefined) throw new UsageError('which port? name a device such as /dev/ttyUSB2, or tcp://host:port')
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
    // The first sentence names the option; the others advise on something else.
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
      if (!/^\+?[0-9*#]{1,20}$/.test(to)) throw new UsageError(`${to} is not a number: write +447700900123`)
      return { name, to, text: words.join(' '), report: values.report ?? false, flash: values.flash ?? false }
    }
    case 'delete':
      return readDelete(rest)
    case 'ussd':
      if (rest.length === 0) throw new UsageError('ussd needs a code, such as *100#')
      return { name, codes: rest }
    default:
      throw new UsageError(`${name} is not a command; --help lists them`)
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
  if (rest.length > 0) throw new UsageError(`${name} takes nothing behind it, and not ${rest.join(' ')}`)
}
