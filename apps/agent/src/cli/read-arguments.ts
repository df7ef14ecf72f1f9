import { type ParseArgsConfig, parseArgs } from 'node:util'
import { StartError } from '@smsgw/daemon/start-error'
import { userCommand } from '@smsgw/daemon/user-command'

/** Reads the options and arguments of a command. Throws a StartError with the usage if they are invalid. */
export function readArguments(
  usage: string,
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
  count: { readonly least: number; readonly most: number } = { least: 0, most: 0 },
) {
  const { values, positionals } = parsed(usage, args, options)
  if (positionals.length < count.least || positionals.length > count.most) throw usageError(usage)
  return { values, positionals }
}

function parsed(usage: string, args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw usageError(usage, error)
  }
}

function usageError(usage: string, cause?: unknown): StartError {
  return new StartError(`usage: ${userCommand('agent', usage)}`, { cause })
}
