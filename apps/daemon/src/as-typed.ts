import { basename, dirname } from 'node:path'

export type Program = 'agent' | 'gateway' | 'modem' | 'relay'

/** What runs, and whom `smsgw` runs it for. */
interface Installation {
  readonly main: string
  readonly service: string | undefined
}

/**
 * How a command of ours is typed where this runs: `npm run agent -- doctor` in a checkout, `sudo smsgw agent doctor` with the
 * Debian package, `node agent/main.js doctor` in a container. With the package the agent within a gateway is asked by the
 * name of the gateway.
 */
export function asTyped(program: Program, args = '', installation: Installation = here()): string {
  const { main } = installation
  if (main.startsWith(PACKAGE)) return words('sudo smsgw', serviceOf(program, installation), args)
  if (BUNDLED.test(main)) return words('node', BUNDLES[program], args)
  if (program !== 'gateway') return words('npm run', program, args && `-- ${args}`)
  const [command, ...rest] = args.split(' ')
  return command ? words('npm run', command, rest.length > 0 ? `-- ${rest.join(' ')}` : '') : 'npm start'
}

/** The same of what goes on until it is told to end: a service, where there is one. */
export function asStarted(program: 'agent' | 'gateway', installation: Installation = here()): string {
  if (installation.main.startsWith(PACKAGE)) return `sudo systemctl start smsgw-${serviceOf(program, installation)}`
  return asTyped(program, program === 'agent' ? 'run' : '', installation)
}

/** Lines of a help text: each command as it is typed here, and beside it what it does. Without a command: more about the one above. */
export function commandsHelp(program: Program, commands: readonly (readonly [args: string, what: string])[]): string[] {
  const typed = commands.map(([args], at) => (args === '' && at > 0 ? '' : asTyped(program, args)))
  const width = Math.max(...typed.map((command) => command.length)) + 3
  return commands.map(([, what], at) => `${typed[at]?.padEnd(width)}${what}`)
}

function here(): Installation {
  return { main: process.argv[1] ?? '', service: process.env['SMSGW_SERVICE'] }
}

function serviceOf(program: Program, { main, service }: Installation): string {
  if (program !== 'agent') return program
  return service ?? (basename(dirname(main)) === 'gateway' ? 'gateway' : 'agent')
}

function words(...all: readonly string[]): string {
  return all.filter((word) => word !== '').join(' ')
}

const PACKAGE = '/usr/lib/smsgw/'

const BUNDLED = /\/(?:agent|gateway|relay)\/(?:main|modem-tool)\.js$/

const BUNDLES: Readonly<Record<Program, string>> = {
  agent: 'agent/main.js',
  gateway: 'gateway/main.js',
  modem: 'agent/modem-tool.js',
  relay: 'relay/main.js',
}
