// `npm run signatures`: verifies the registry's signatures and the provenance of all installed packages. With
// `--optional`, it skips this step if the keys are not available, for example if there is no network, or if a mirror
// has no keys.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { optional: { type: 'boolean', default: false } } })
const { status, stdout, stderr, error } = spawnSync(
  'npm',
  // Sets a log level, because npm would not print the reason of a failure in `npm run --silent`.
  ['audit', 'signatures', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=20000'],
  { cwd: resolve(import.meta.dirname, '..'), encoding: 'utf8' },
)
const output = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`
const obstacle = status === 0 ? undefined : obstacleIn(output)
if (obstacle === undefined) {
  process.stdout.write(`${output.trim()}\n${status === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed'}, 0 skipped\n`)
  process.exit(status === 0 ? 0 : 1)
}
process.stdout.write(`signatures not verified: ${obstacle}\n0 passed, 0 failed, 1 skipped\n`)
process.exit(values.optional ? 0 : 1)

/** Returns why npm could not get the keys, or undefined if it found a wrong or missing signature. */
function obstacleIn(text: string): string | undefined {
  const [, request] = /request to (\S+ failed, reason: .+)/.exec(text) ?? []
  if (request !== undefined) return request
  return text.includes('installed from a supported registry') ? 'the registry has no keys' : undefined
}
