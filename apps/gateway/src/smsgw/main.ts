import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clientCommands } from './client/commands.ts'

// `smsgw <program> …` replaces this process with the program, so signals and exit codes are those of the program.
// Commands for the API, such as `smsgw send`, run in this process, and everything else is answered here. Only what is needed is loaded.

const bundles = resolve(import.meta.dirname, '..')
const checkout = resolve(import.meta.dirname, '../../../..')

interface Program {
  readonly bundle: string
  readonly source: string
  /** Memory limits, as in the units and images. */
  readonly flags: readonly string[]
  /** Whether the program serves the console, which a checkout builds first. */
  readonly servesConsole?: true
}

const programs: Readonly<Record<string, Program>> = {
  gateway: {
    bundle: 'gateway/main.js',
    source: 'apps/gateway/src/main.ts',
    flags: ['--max-semi-space-size=2'],
    servesConsole: true,
  },
  relay: {
    bundle: 'relay/main.js',
    source: 'apps/relay/src/main.ts',
    flags: ['--max-semi-space-size=32'],
    servesConsole: true,
  },
  agent: {
    bundle: 'agent/main.js',
    source: 'apps/agent/src/main.ts',
    flags: ['--max-semi-space-size=1', '--v8-pool-size=1', '--no-turbofan'],
  },
  bridge: { bundle: 'bridge/main.js', source: 'apps/bridge/src/main.ts', flags: ['--max-semi-space-size=2'] },
  modem: { bundle: 'agent/modem-tool.js', source: 'apps/agent/src/modem-tool/main.ts', flags: [] },
  emulator: { bundle: 'emulator/main.js', source: 'apps/emulator/src/main.ts', flags: [] },
}

const [name = '--help', ...args] = process.argv.slice(2)
const program = Object.hasOwn(programs, name) ? programs[name] : undefined
if (Object.hasOwn(clientCommands.commands, name)) {
  const { runClient } = await import('./client/run-client.ts')
  await runClient([name, ...args])
} else if (program === undefined) {
  const { answer } = await import('./answer.ts')
  process.exitCode = answer(name, args)
} else run(program)

function run({ bundle, source, flags, servesConsole }: Program): void {
  const isBundled = import.meta.filename.endsWith('.js')
  const file = isBundled ? join(bundles, bundle) : join(checkout, source)
  if (!existsSync(file)) {
    process.stderr.write(`smsgw: ${name} is not part of this installation: ${file} does not exist\n`)
    process.exitCode = 1
    return
  }
  const preload = !isBundled && servesConsole ? ['--import', join(checkout, '.repo/with-console.ts')] : []
  process.execve?.(process.execPath, [process.execPath, ...preload, ...flags, file, ...args], process.env)
}
