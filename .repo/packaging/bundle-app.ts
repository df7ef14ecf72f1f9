import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { AppBundle } from './app-bundle.ts'
import { licencesOf } from './licences.ts'

/**
 * Leaves out error texts in fifty languages, which take a third of a megabyte. The English texts are built into zod.
 */
const withoutLocales: Plugin = {
  name: 'without-locales',
  setup: ({ onLoad }) => onLoad({ filter: /[/]zod[/]v4[/]locales[/]index[.]js$/ }, () => ({ contents: '' })),
}

/**
 * Requires the modules of Node instead of importing them, and reads only the properties that the app uses. An import
 * reads every property of a module, and some of them load large parts of Node, such as the web socket of `node:http`.
 */
const requiredModules: Plugin = {
  name: 'required-modules',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required-modules', sideEffects: false } : undefined,
    )
    onLoad({ filter: /./, namespace: 'required-modules' }, ({ path }) => ({ contents: moduleOfNode(path) }))
  },
}

function moduleOfNode(path: string): string {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default')
  // No property has a name with a dollar sign.
  return [
    `const module$ = require('${path}')`,
    'const property$ = (name) => module$[name]',
    'export default module$',
    // The comments let the bundler leave out the properties that the app does not use.
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ property$('${name}')`),
  ].join('\n')
}

/** Bundles an app into a folder. Native addons stay outside the bundle. */
export async function bundleApp(root: string, folder: string, { entries, beside }: AppBundle): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entries },
    outdir: folder,
    bundle: true,
    // A module that is imported dynamically stays a separate file, which is read only when it is needed.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: 'linked',
    // Makes the source text small, because it stays in memory with its comments. It must be pure Latin-1, because a
    // single other character doubles its size.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: 'none',
    metafile: true,
    plugins: [withoutLocales, requiredModules],
    external: ['@serialport/bindings-cpp', 'koffi', '@node-rs/argon2'],
    // Defines `require`, because some dependencies are CommonJS modules.
    banner: {
      js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
    },
    logLevel: 'warning',
  })
  writeFileSync(
    join(folder, 'licences.txt'),
    licencesOf(root, [...Object.keys(metafile.inputs), ...Object.values(beside)]),
  )
}
