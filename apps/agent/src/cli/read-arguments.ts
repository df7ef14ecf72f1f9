import { type ParseArgsConfig, parseArgs } from 'node:util'
import { asTyped } from '@smsgw/daemon/as-typed'
import { StartError } from '@smsgw/daemon/start-error'

/** Options and words behind a command; what is not among them is one clear line. */
export function readArguments(
  usage: string,
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
  words: { readonly least: number; readonly most: number } = { least: 0, most: 0 },
) {
  const { values, positionals } = parsed(usage, args, options)
  if (positionals.length < words.least || positionals.length > words.most) throw usageError(usage)
  return { values, words: positionals }
}

function parsed(usage: string, args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw usageError(usage, error)
  }
}

function usageError(usage: string, cause?: unknown): StartError {
  return new StartError(`usage: ${asTyped('agent', usage)}`, { cause })
}
