// `npm run proof -- upgrade`: upgrades relays, agents and a gateway from the previous release to these sources one by
// one, downgrades them, and upgrades them again, while messages are sent and received. At the end it compares API and
// webhooks with the ledger of the network. `--previous <folder>`: the program folder of the previous release, as its
// Debian package installs it.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { upgradeFleet } from './upgrade-fleet.ts'
import { upgradeGateway } from './upgrade-gateway.ts'

const { values } = parseArgs({
  options: { previous: { type: 'string' }, only: { type: 'string' }, 'every-ms': { type: 'string' } },
})
if (values.previous === undefined) throw new Error('name the folder of the previous release with --previous')
const folder = resolve(values.previous)
const previous = {
  relay: join(folder, 'relay/main.js'),
  agent: join(folder, 'agent/main.js'),
  gateway: join(folder, 'gateway/main.js'),
}
const everyMs = Number(values['every-ms'] ?? 250)
const proofs = { fleet: upgradeFleet, gateway: upgradeGateway }
const totals = { passed: 0, failed: 0 }
for (const [name, prove] of Object.entries(proofs)) {
  if ((values.only ?? name) !== name) continue
  const beganAt = performance.now()
  const now = () => `${((performance.now() - beganAt) / 1000).toFixed(1)} s`.padStart(8)
  const log = (line: string) => process.stdout.write(`  ${now()}  ${line}\n`)
  const problems = await prove({ previous, everyMs, log }).catch((error: Error) => [error.stack ?? error.message])
  for (const problem of problems.slice(0, 20)) process.stdout.write(`  ${problem}\n`)
  const isGood = problems.length === 0
  totals[isGood ? 'passed' : 'failed'] += 1
  process.stdout.write(`${isGood ? 'ok  ' : 'FAIL'}  ${name}: old and new releases under traffic (${now().trim()})\n`)
}
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, 0 skipped\n`)
process.exit(totals.failed === 0 ? 0 : 1)
