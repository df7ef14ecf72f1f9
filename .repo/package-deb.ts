// `npm run deb`: builds dist/smsgw_<version>_<architecture>.deb for the named architectures, such as `npm run deb --
// amd64 arm64`, or for this machine. With `--prove`, it instead tests the package on this machine: it installs, uses,
// upgrades and removes it. Then it does the same with the npm package of these programs. With `--optional`, it skips
// this test if the machine cannot run it.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { architectureOf } from './packaging/app-bundle.ts'
import { buildDeb } from './packaging/build-deb.ts'
import { obstacleToProof, proveDeb } from './packaging/prove-deb.ts'
import { proveNpm } from './packaging/prove-npm.ts'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { prove: { type: 'boolean' }, optional: { type: 'boolean' } },
})
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dist = join(root, 'dist')

const obstacle = values.prove ? obstacleToProof() : undefined
if (obstacle !== undefined) {
  process.stdout.write(`package not tested: ${obstacle}\n0 passed, 0 failed, 1 skipped\n`)
  process.exit(values.optional ? 0 : 1)
}
if (spawnSync(process.execPath, [join(root, '.repo/build.ts')], { stdio: 'inherit' }).status !== 0) process.exit(1)
if (values.prove) {
  const deb = await proveDeb({ version, built: dist })
  const npm = await proveNpm({ version, built: dist })
  const failed = deb.failed + npm.failed
  process.stdout.write(`${deb.passed + npm.passed} passed, ${failed} failed, 0 skipped\n`)
  process.exit(failed === 0 ? 0 : 1)
}
for (const architecture of (positionals.length > 0 ? positionals : [process.arch]).map(architectureOf)) {
  const file = buildDeb({ architecture, version, built: dist, into: dist })
  process.stdout.write(`built ${relative('.', file)} (${Math.round(statSync(file).size / 1e6)} MB)\n`)
}
