export type Program = 'agent' | 'bridge' | 'client' | 'emulator' | 'gateway' | 'modem' | 'relay'

interface Installation {
  /** The main script of this process. */
  readonly main: string
  /** The service for which the `smsgw` command started this process. */
  readonly service: string | undefined
  /** The value of DATA_DIR, which the next command of this user also needs. */
  readonly dataDir: string | undefined
}

/**
 * Returns a command in the form for the user of this installation: `npm run agent -- doctor` in a checkout, `sudo smsgw
 * agent doctor` with the Debian package, `smsgw agent doctor` in a container. In a gateway, commands for its agent
 * begin with `gateway`. Commands for the API have no program name, and never need sudo.
 */
export function userCommand(program: Program, args = '', installation: Installation = here()): string {
  const { main } = installation
  if (program === 'client') return isCheckout(main) ? joined('npm run smsgw --', args) : joined('smsgw', args)
  const service = serviceOf(program, installation)
  if (main.startsWith(PACKAGE)) return joined('sudo smsgw', service, args)
  if (!isCheckout(main)) return joined('smsgw', service, args)
  if (service === 'gateway' && args === '') return 'npm start'
  return joined('npm run', service, args && `-- ${args}`)
}

/** Returns the command that starts the agent or the gateway, or its service if the Debian package is installed. */
export function startCommand(program: 'agent' | 'gateway', installation: Installation = here()): string {
  const { main, dataDir } = installation
  const service = serviceOf(program, installation)
  if (main.startsWith(PACKAGE)) return `sudo systemctl start smsgw-${service}`
  const command = userCommand(program, service === 'agent' ? 'run' : '', installation)
  // Leaves out DATA_DIR in a container, which already has this setting.
  return dataDir === undefined || !isCheckout(main) ? command : `DATA_DIR=${quoted(dataDir)} ${command}`
}

/** Quotes a word for a shell where necessary. */
function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function here(): Installation {
  const { SMSGW_SERVICE: service, DATA_DIR: dataDir } = process.env
  return { main: process.argv[1] ?? '', service, dataDir: dataDir || undefined }
}

function serviceOf(program: Program, { main, service }: Installation): Program {
  if (program !== 'agent') return program
  return service === 'gateway' || /\/gateway\/(?:src\/)?main\.[jt]s$/.test(main) ? 'gateway' : 'agent'
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

const PACKAGE = '/usr/lib/smsgw/'

/** Returns true for a checkout. A checkout runs its source files, or the bundled programs in its cache. */
function isCheckout(main: string): boolean {
  return !BUNDLED.test(main) || main.includes('/.cache/programs/')
}

const BUNDLED = /\/(?:agent|bridge|emulator|gateway|relay|smsgw)\/(?:main|modem-tool)\.js$/
