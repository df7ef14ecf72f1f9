import { type ParseArgsConfig, parseArgs } from 'node:util'
import { StartError } from '@smsgw/daemon/start-error'

type Flags = NonNullable<ParseArgsConfig['options']>

interface Arguments<F extends Flags, N extends readonly string[]> {
  readonly values: ReturnType<typeof parseArgs<Parsing<F>>>['values']
  readonly positionals: { readonly [Index in keyof N]: string }
}

/** Reads flags and exactly the named arguments. Errors do not repeat an argument, because it may be a password. */
export function readArguments<F extends Flags, N extends readonly string[]>(
  args: readonly string[],
  flags: F,
  names: readonly [...N],
): Arguments<F, N> {
  const { values, positionals } = parsed(args, flags)
  const missing = names[positionals.length]
  if (missing !== undefined) throw new StartError(`argument <${missing}> is missing; see --help`)
  if (positionals.length > names.length)
    throw new StartError('too many arguments; a password is never an argument. See --help')
  return { values, positionals: positionals as unknown as Arguments<F, N>['positionals'] }
}

interface Parsing<F extends Flags> {
  readonly args: string[]
  readonly options: F
  readonly allowPositionals: true
}

function parsed<F extends Flags>(args: readonly string[], flags: F) {
  try {
    return parseArgs<Parsing<F>>({ args: [...args], options: flags, allowPositionals: true })
  } catch (error) {
    // The first sentence of Node's message contains the option but not its value.
    throw new StartError(`${(error as Error).message.split(/\.\s/)[0]}; see --help`, { cause: error })
  }
}
