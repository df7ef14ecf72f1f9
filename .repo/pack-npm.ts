// `node .repo/pack-npm.ts <folder> --into <folder>`: builds a project that is published on npm and packs it. In the
// repository, other projects import its TypeScript; the package contains JavaScript and declarations.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string', default: join(root, 'dist') } },
})
const [folder] = positionals
if (folder === undefined) {
  process.stderr.write('pack-npm: name the folder of the project, such as packages/client\n')
  process.exit(2)
}
pack(join(root, folder), resolve(values.into))

function pack(project: string, into: string): void {
  const stage = mkdtempSync(join(tmpdir(), 'smsgw-npm-'))
  try {
    compile(project, join(stage, 'dist'))
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as SourceManifest
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

interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>
  readonly scripts?: unknown
  readonly devDependencies?: unknown
}

/** The manifest with the built files, and without what only the repository uses. */
function publishedManifest({ exports, scripts: _, devDependencies: __, ...rest }: SourceManifest): object {
  const built = Object.entries(exports).map(([name, source]) => {
    const file = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
  })
  return { ...rest, exports: Object.fromEntries(built), files: ['dist'] }
}
