// `npm run docs`: builds docs/ into dist/docs as static files for any web server. With `-- --base /docs/`, the files
// are for that path. VitePress has its own lockfile and is installed only by this script, so that `npm ci` of the
// product installs less.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const site = join(root, 'docs/.vitepress')
const lockfile = readFileSync(join(site, 'package-lock.json'), 'utf8')
const installed = join(site, 'node_modules/.installed')

const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } })
if (!/^\/(?:.*\/)?$/.test(values.base))
  fail(`--base "${values.base}" must begin and end with /, for example --base /docs/`)

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lockfile) {
  process.stdout.write('installing VitePress (about 100 MB, once)\n')
  run('npm', ['ci', '--no-audit', '--no-fund'], site)
  writeFileSync(installed, lockfile)
}
run('node', [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs'], root)
// Copies these files because pages link to some of them, for example to the Grafana dashboard.
cpSync(join(root, 'docs/examples'), join(root, 'dist/docs/examples'), { recursive: true })
process.stdout.write('documentation built in dist/docs\n')

function run(command: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, DOCS_BASE: values.base }
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) fail(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`)
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
