// Runs all benchmarks of the relay one after the other, or only the named benchmarks: `npm run bench -- <name> …`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ALL = ['accept', 'history', 'conversations', 'statistics', 'race', 'dispatch', 'agents', 'flood', 'webhooks']
const chosen = process.argv.slice(2)

for (const name of chosen.length > 0 ? chosen : ALL) {
  process.stdout.write(`\n${name}\n`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `bench-${name}.ts`)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
