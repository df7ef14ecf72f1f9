// Builds the missing parts of a program before `smsgw` starts it from a checkout.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type BuiltProgram, buildProgram, builtProgram, keepProgram } from './built-programs.ts'
import { isConsoleFresh } from './console-freshness.ts'

interface Wanted {
  readonly name: string
  readonly args: readonly string[]
  readonly isService?: true
  readonly servesConsole?: true
}

/**
 * Builds the console and the bundle of a service. Returns the bundle, or undefined if the program runs from its
 * sources. Short commands and tools run from their sources, unless a bundle already exists.
 *
 * @public `smsgw` imports this file by its path, so that its own bundle does not contain it.
 */
export async function prepareProgram({ name, args, isService, servesConsole }: Wanted): Promise<string | undefined> {
  if (!isService) return undefined
  if (servesConsole && isServing(args) && !isConsoleFresh()) buildConsole()
  const program = name as BuiltProgram
  try {
    const main = isServing(args) ? await built(program) : builtProgram(program)
    if (main !== undefined) keepProgram(main)
    return main
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
    process.stderr.write(`${program} not bundled, starting from its sources, which takes longer: ${reason}\n`)
    return undefined
  }
}

/** Skips settings such as `--port 3001`, because they are not a command. */
function isServing([first = '--', ...others]: readonly string[]): boolean {
  if (first === '--version' || [first, ...others].includes('--help')) return false
  return first.startsWith('--') || first === 'run'
}

async function built(program: BuiltProgram): Promise<string> {
  const main = builtProgram(program)
  if (main !== undefined) return main
  process.stderr.write(`bundling the ${program} …\n`)
  return buildProgram(program)
}

/** Does not fail without a console, because the program works without it, and the browser shows an explanation. */
function buildConsole(): void {
  process.stderr.write('building the console …\n')
  const { status, stderr, error } = spawnSync(process.execPath, [join(import.meta.dirname, 'build-console.ts')], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0)
    process.stderr.write(
      `${error?.message ?? stderr}\nconsole not built, starting without it. If the reason above does not help, run npm ci and start again.\n`,
    )
}
