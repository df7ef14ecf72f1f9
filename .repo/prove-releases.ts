// `npm run proof -- upgrade|packages`: compares this release with the previous one. That release is built from its
// commit once and then kept in `.cache/releases`.
//
// `upgrade` runs relays, agents and a gateway of both releases together, and upgrades and downgrades them while
// messages are sent. `packages` uses an apt repository in an empty Debian: it installs the previous release, upgrades
// and downgrades while messages are sent, removes and purges. `--architecture arm64` emulates that processor;
// `--package <file>` tests a package that is already built.
//
// `--optional` skips what this machine does not support.
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { architectureOf } from './packaging/app-bundle.ts'
import { obstacleToPackages, provePackages } from './packaging/prove-packages.ts'
import { extractPackage, packageOfRelease, previousRelease } from './release/previous-release.ts'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    optional: { type: 'boolean' },
    architecture: { type: 'string', default: process.arch },
    package: { type: 'string' },
  },
})
const architecture = architectureOf(values.architecture)
const [what = ''] = positionals
const obstacle = what === 'packages' ? obstacleToPackages(architecture) : obstacleToUpgrade()
if (obstacle !== undefined) {
  process.stdout.write(`${what} not tested: ${obstacle}\n0 passed, 0 failed, 1 skipped\n`)
  process.exit(values.optional ? 0 : 1)
}
const release = previousRelease(root)
const previous = packageOfRelease(root, release, what === 'packages' ? architecture : architectureOf(process.arch))
process.stdout.write(`the previous release is ${release.version}, commit ${release.commit.slice(0, 12)}\n`)
if (what === 'upgrade') {
  const script = join(root, 'apps/e2e/upgrade/run-upgrade.ts')
  const program = extractPackage(previous, previous.replace(/\.deb$/, ''))
  const { status } = spawnSync(process.execPath, [script, '--previous', program], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
const { passed, failed } = await provePackages({ root, previous, release, architecture, current: values.package })
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`)
process.exit(failed === 0 ? 0 : 1)

function obstacleToUpgrade(): string | undefined {
  if (what !== 'upgrade') throw new Error(`${what} is neither upgrade nor packages`)
  if (spawnSync('sh', ['-c', 'command -v dpkg-deb']).status !== 0) return 'dpkg-deb is not installed'
  const { commit } = previousRelease(root)
  const found = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0
  return found ? undefined : `this clone does not contain ${commit}`
}
