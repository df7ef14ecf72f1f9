import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clientCommands } from './client/commands.ts'

// `smsgw <program> …` replaces this process with the program, so signals go to the program, and the exit code is the
// exit code of the program. Commands for the API, such as `smsgw send`, and all other command lines run in this
// process. Only the necessary modules are loaded.

const bundles = resolve(import.meta.dirname, '..')
const checkout = resolve(import.meta.dirname, '../../../..')

interface Program {
  readonly bundle: string
  readonly source: string
  /** The memory limits, as in the units and images. */
  readonly flags: readonly string[]
  /** True if the program runs for a long time. A checkout then builds its bundle first. */
  readonly isService?: true
  /** True if the program serves the console. In a checkout, the console is then built before the program starts. */
  readonly servesConsole?: true
}

const programs: Readonly<Record<string, Program>> = {
  gateway: {
    bundle: 'gateway/main.js',
    source: 'apps/gateway/src/main.ts',
    flags: ['--max-semi-space-size=8'],
    isService: true,
    servesConsole: true,
  },
  relay: {
    bundle: 'relay/main.js',
    source: 'apps/relay/src/main.ts',
    flags: ['--max-semi-space-size=32'],
    isService: true,
    servesConsole: true,
  },
  agent: {
    bundle: 'agent/main.js',
    source: 'apps/agent/src/main.ts',
    flags: ['--max-semi-space-size=1', '--v8-pool-size=1', '--no-turbofan'],
    isService: true,
  },
  bridge: {
    bundle: 'bridge/main.js',
    source: 'apps/bridge/src/main.ts',
    flags: ['--max-semi-space-size=2'],
    isService: true,
  },
  modem: { bundle: 'agent/modem-tool.js', source: 'apps/agent/src/modem-tool/main.ts', flags: [] },
  emulator: { bundle: 'emulator/main.js', source: 'apps/emulator/src/main.ts', flags: [] },
}

const [first = '--help', ...rest] = process.argv.slice(2)
// `smsgw setup` is short for `smsgw gateway setup`, and `smsgw router` for `smsgw relay router`.
const shortFor: Readonly<Record<string, string>> = { setup: 'gateway', router: 'relay', cells: 'relay' }
const owner = Object.hasOwn(shortFor, first) ? shortFor[first] : undefined
const [name, args] = owner === undefined ? [first, rest] : [owner, [first, ...rest]]
const program = Object.hasOwn(programs, name) ? programs[name] : undefined
const isOfClient = Object.keys(clientCommands.commands).some((command) => command.split(' ')[0] === name)
if (isOfClient) {
  const { runClient } = await import('./client/run-client.ts')
  await runClient([name, ...args])
} else if (program === undefined) {
  const { answerSmsgw } = await import('./answer.ts')
  process.exitCode = answerSmsgw(name, args)
} else await run(program)

async function run(wanted: Program): Promise<void> {
  const isBundled = import.meta.filename.endsWith('.js')
  const file = isBundled ? join(bundles, wanted.bundle) : await fileInCheckout(wanted)
  if (!existsSync(file)) {
    process.stderr.write(`smsgw: ${name} is not part of this installation: ${file} does not exist\n`)
    process.exitCode = 1
    return
  }
  process.execve?.(process.execPath, [process.execPath, ...wanted.flags, file, ...args], process.env)
}

/** Imports the scripts of the checkout, which are not in the bundle of this command. */
async function fileInCheckout({ source, ...wanted }: Program): Promise<string> {
  const script = pathToFileURL(join(checkout, '.repo/prepare-program.ts')).href
  const { prepareProgram }: PrepareProgram = await import(script)
  return (await prepareProgram({ name, args, ...wanted })) ?? join(checkout, source)
}

interface PrepareProgram {
  prepareProgram(
    wanted: Omit<Program, 'source'> & { readonly name: string; readonly args: readonly string[] },
  ): Promise<string | undefined>
}
