// `npm run build`: one bundle for each app that can be started, in dist/<app>/main.js, for packages and images.
// What an app loads beside its own code (native addons) stays outside and is listed by the packager.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const NATIVE = ['serialport', '@serialport/bindings-cpp', 'koffi', '@node-rs/argon2']
/** What an app reads at run time, beside its bundle. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { relay: ['prisma/migrations'] }

rmSync(join(root, 'dist'), { recursive: true, force: true })
const apps = existsSync(join(root, 'apps')) ? readdirSync(join(root, 'apps')) : []
const startable = apps.filter((app) => existsSync(join(root, 'apps', app, 'src/main.ts')))
for (const app of startable) {
  const outfile = join(root, 'dist', app, 'main.js')
  await build({
    entryPoints: [join(root, 'apps', app, 'src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    legalComments: 'linked',
    external: NATIVE,
    // Some dependencies are CommonJS inside and ask for `require`.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
    },
    logLevel: 'warning',
  })
  for (const folder of BESIDE[app] ?? [])
    cpSync(join(root, folder), join(root, 'dist', app, basename(folder)), { recursive: true })
  process.stdout.write(`built ${app}: dist/${app}/main.js\n`)
}
if (startable.length === 0) process.stdout.write('no app can be started yet: nothing to build\n')
