// `npm run build`: bundles each app into dist/<app> for packages and images; `-- --into <folder>` selects another
// folder.
// Native addons stay outside the bundle and are added to the package.
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build, type Plugin } from 'esbuild'
import './build-console.ts'
import { appBundles } from './packaging/app-bundle.ts'
import { licencesOf } from './packaging/licences.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = parseArgs({ options: { into: { type: 'string', default: join(root, 'dist') } } })
const into = resolve(values.into)

/** Leaves out a third of a megabyte: error texts in fifty languages. The English texts are built into zod. */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup: ({ onLoad }) => onLoad({ filter: /[/]zod[/]v4[/]locales[/]index[.]js$/ }, () => ({ contents: '' })),
}

rmSync(into, { recursive: true, force: true })
for (const [app, { entries, beside }] of Object.entries(appBundles)) {
  const folder = join(into, app)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entries },
    outdir: folder,
    bundle: true,
    // Dynamic imports stay separate files, so that they are read only when needed.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    // Source text, including comments, stays in memory, and a single character beyond Latin-1 doubles its size.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    metafile: true,
    plugins: [withoutLocales],
    external: ['@serialport/bindings-cpp', 'koffi', '@node-rs/argon2'],
    // Some dependencies are CommonJS and call `require`.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
    },
    logLevel: 'warning',
  })
  writeFileSync(
    join(folder, 'licences.txt'),
    licencesOf(root, [...Object.keys(metafile.inputs), ...Object.values(beside)]),
  )
  for (const [name, from] of Object.entries(beside)) {
    if (existsSync(join(root, from))) cpSync(join(root, from), join(folder, name), { recursive: true })
  }
  process.stdout.write(`built ${app}: ${relative('.', join(folder, 'main.js'))}\n`)
}
