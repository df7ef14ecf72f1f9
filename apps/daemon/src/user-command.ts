import { basename, dirname } from 'node:path'

export type Program = 'agent' | 'gateway' | 'modem' | 'relay'

/** The main script of this process, and the service for which the `smsgw` command started it. */
interface Installation {
  readonly main: string
  readonly service: string | undefined
}

/**
 * Returns a command as the user of this installation runs it: `npm run agent -- doctor` in a checkout, `sudo smsgw agent
 * doctor` with the Debian package, `node agent/main.js doctor` in a container. In the package, commands for the agent of a
 * gateway use the name of the gateway.
 */
export function userCommand(program: Program, args = '', installation: Installation = here()): string {
  const { main } = installation
  if (main.startsWith(PACKAGE)) return joined('sudo smsgw', serviceOf(program, installation), args)
  if (BUNDLED.test(main)) return joined('node', BUNDLES[program], args)
  if (program !== 'gateway') return joined('npm run', program, args && `-- ${args}`)
  const [command, ...rest] = args.split(' ')
  return command ? joined('npm run', command, rest.length > 0 ? `-- ${rest.join(' ')}` : '') : 'npm start'
}

/** Returns the command that starts the agent or the gateway: as a service if it is installed as one. */
export function startCommand(program: 'agent' | 'gateway', installation: Installation = here()): string {
  if (installation.main.startsWith(PACKAGE)) return `sudo systemctl start smsgw-${serviceOf(program, installation)}`
  return userCommand(program, program === 'agent' ? 'run' : '', installation)
}

/** Returns help lines: the command for this installation, then its description. An empty command continues the line above. */
export function commandsHelp(
  program: Program,
  commands: readonly (readonly [args: string, description: string])[],
): string[] {
  const commandTexts = commands.map(([args], at) => (args === '' && at > 0 ? '' : userCommand(program, args)))
  const width = Math.max(...commandTexts.map((command) => command.length)) + 3
  return commands.map(([, description], at) => `${commandTexts[at]?.padEnd(width)}${description}`)
}

function here(): Installation {
  return { main: process.argv[1] ?? '', service: process.env['SMSGW_SERVICE'] }
}

function serviceOf(program: Program, { main, service }: Installation): string {
  if (program !== 'agent') return program
  return service ?? (basename(dirname(main)) === 'gateway' ? 'gateway' : 'agent')
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

const PACKAGE = '/usr/lib/smsgw/'

const BUNDLED = /\/(?:agent|gateway|relay)\/(?:main|modem-tool)\.js$/

const BUNDLES: Readonly<Record<Program, string>> = {
  agent: 'agent/main.js',
  gateway: 'gateway/main.js',
  modem: 'agent/modem-tool.js',
  relay: 'relay/main.js',
}
