// `node .repo/pack-npm.ts <folder> --into <folder>`: builds a project that is published on npm and packs it. In the
// repository, other projects import its TypeScript sources. The package contains JavaScript and declarations. If the
// manifest of a project has a `bundle`, the package contains the files of the bundle, and no dependencies.
//
// `node .repo/pack-npm.ts smsgw [amd64] [arm64] --into <folder>`: builds the programs and packs them together with
// Node.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSync } from 'esbuild'
import { architectureOf } from './packaging/app-bundle.ts'
import { buildNpm } from './packaging/build-npm.ts'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string', default: join(root, 'dist') } },
})
const [folder, ...architectures] = positionals
if (folder === undefined) {
  process.stderr.write('pack-npm: pass smsgw, or the folder of a project, such as packages/client\n')
  process.exit(2)
}
if (folder === 'smsgw') packPrograms(resolve(values.into))
else pack(join(root, folder), resolve(values.into))

function packPrograms(into: string): void {
  // The folder is in the checkout. Otherwise the source maps, and so the names of the files, would contain the path of
  // the checkout, and two builds of a commit would differ.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const built = mkdtempSync(join(root, 'dist/npm-'))
  try {
    execFileSync(process.execPath, [join(root, '.repo/build.ts'), '--into', built], { stdio: 'inherit' })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const wanted = (architectures.length > 0 ? architectures : [process.arch]).map(architectureOf)
    for (const file of buildNpm({ version, architectures: wanted, built, into }))
      process.stdout.write(`built ${relative('.', file)} (${Math.ceil(statSync(file).size / 1e6)} MB)\n`)
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

function pack(project: string, into: string): void {
  const stage = mkdtempSync(join(tmpdir(), 'smsgw-npm-'))
  try {
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as SourceManifest
    if (manifest.bundle === undefined) compile(project, join(stage, 'dist'))
    else for (const [file, sources] of Object.entries(manifest.bundle)) bundle(project, sources, join(stage, file))
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`)
    copyFileSync(join(project, 'README.md'), join(stage, 'README.md'))
    copyFileSync(join(root, 'LICENSE'), join(stage, 'LICENSE'))
    mkdirSync(into, { recursive: true })
    execFileSync('npm', ['pack', stage, '--pack-destination', into, '--silent'], { cwd: stage, stdio: 'inherit' })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function compile(project: string, outDir: string): void {
  const options = ['--emitDeclarationOnly', 'false', '--declaration', '--rewriteRelativeImportExtensions']
  const single = ['--composite', 'false', '--incremental', 'false', '--tsBuildInfoFile', 'null']
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', project, '--outDir', outDir, ...options, ...single], { stdio: 'inherit' })
}

/** Bundles a program with everything that it imports, or joins other files to one file. */
function bundle(project: string, sources: readonly string[], file: string): void {
  const paths = sources.map((source) => join(project, source))
  mkdirSync(dirname(file), { recursive: true })
  if (!sources.some((source) => source.endsWith('.ts'))) {
    writeFileSync(file, paths.map((path) => readFileSync(path, 'utf8')).join('\n'))
    return
  }
  buildSync({
    entryPoints: paths,
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    // Keeps all exports, because the programs that load the file call them.
    footer: { js: 'if (module.exports.default) module.exports = module.exports.default' },
    legalComments: 'none',
    logLevel: 'warning',
  })
}

interface SourceManifest {
  readonly exports?: Readonly<Record<string, string>>
  /** The published files, each with its sources. */
  readonly bundle?: Readonly<Record<string, readonly string[]>>
  readonly type?: string
  readonly dependencies?: unknown
  readonly scripts?: unknown
  readonly nx?: unknown
  readonly devDependencies?: unknown
}

/** Returns the manifest with the built files, and without the members that only the repository uses. */
function publishedManifest({ bundle, scripts: _, nx: __, devDependencies: ___, ...manifest }: SourceManifest): object {
  if (bundle !== undefined) {
    const { dependencies: _, type: __, ...rest } = manifest
    return { ...rest, files: [...new Set(Object.keys(bundle).map((file) => file.split('/')[0]))] }
  }
  const { exports = {}, ...rest } = manifest
  const built = Object.entries(exports).map(([name, source]) => {
    const file = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
  })
  return { ...rest, exports: Object.fromEntries(built), files: ['dist'] }
}
