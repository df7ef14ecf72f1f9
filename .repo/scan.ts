// `npm run scan`: looks for known vulnerabilities in what a release contains. Asks the npm registry about all packages
// that are not only for development, and Debian about updates of the packages in the images of `npm run images`. With
// `--optional`, it skips the checks that do not work on this machine, for example if a mirror does not answer such
// requests.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const { values } = parseArgs({ options: { optional: { type: 'boolean', default: false } } })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
/** Less severe findings are fixed by the weekly updates of dependencies. */
const SERIOUS = new Set(['high', 'critical'])
const count = { passed: 0, failed: 0, skipped: 0 }

scanPackages()
for (const target of ['gateway', 'relay', 'agent', 'emulator']) scanImage(target)
process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
process.exit(count.failed > 0 || (count.skipped > 0 && !values.optional) ? 1 : 0)

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}

function scanPackages(): void {
  const what = 'the npm packages of a release'
  const { stdout, error } = spawnSync(
    'npm',
    ['audit', '--audit=true', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 },
  )
  const answer = readAnswer(stdout)
  if (answer.vulnerabilities === undefined) {
    const reason = error?.message ?? answer.message ?? 'npm audit gave no answer'
    report('skipped', `${what}: ${reason}`)
    return
  }
  const found = Object.entries(answer.vulnerabilities).filter(([, { severity }]) => SERIOUS.has(severity))
  const names = found.map(([name, { severity, range }]) => `${name} ${range} (${severity})`)
  report(names.length === 0 ? 'passed' : 'failed', [what, ...names].join('\n        '))
}

function readAnswer(text: string): Audit & { readonly message?: string } {
  try {
    return JSON.parse(text)
  } catch (error) {
    return { message: `npm audit did not answer with JSON: ${error instanceof Error ? error.message : error}` }
  }
}

function scanImage(target: string): void {
  const image = `localhost/smsgw-${target}:${version}`
  const exists = spawnSync('podman', ['image', 'exists', image])
  if (exists.status !== 0) {
    const reason = exists.error ? 'podman is not installed' : 'run npm run images first'
    report('skipped', `the Debian packages of ${image}: ${reason}`)
    return
  }
  const script = 'apt-get -qq --error-on=any update && apt-get --simulate dist-upgrade'
  const { status, stdout, stderr } = spawnSync(
    'podman',
    ['run', '--rm', '--user', '0', '--no-healthcheck', '--entrypoint', 'sh', image, '-c', script],
    { encoding: 'utf8', timeout: 120_000 },
  )
  if (status !== 0) {
    report('skipped', `the Debian packages of ${image}: ${stderr.trim().split('\n').at(-1)}`)
    return
  }
  // An example: Inst openssl [3.0.16-1] (3.0.17-1 Debian-Security:12/oldstable-security [amd64])
  const updates = [...stdout.matchAll(/^Inst (\S+ \[\S+\] \(\S+) .*Security/gm)].map(([, update]) => `${update})`)
  report(updates.length === 0 ? 'passed' : 'failed', [`the Debian packages of ${image}`, ...updates].join('\n        '))
}

function report(result: keyof typeof count, text: string): void {
  count[result] += 1
  process.stdout.write(`${{ passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[result]}  ${text}\n`)
}
