// `npm test`: every project's tests through Nx, and their total alone on the last line.
// Arguments go to Nx: `npm test -- --projects=@smsgw/sms`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { readTotals, totalsFolder } from './test-totals.ts'

rmSync(totalsFolder, { recursive: true, force: true })
mkdirSync(totalsFolder, { recursive: true })
const nx = spawnSync('nx', ['run-many', '-t', 'test', '--output-style=stream', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
})
const { passed, failed, skipped } = readTotals()
// A project that ended without a verdict (a crash, a missing tool) is a failure too, whatever the tests said.
const silent = nx.status !== 0 && failed === 0 ? 1 : 0
if (silent) process.stdout.write('A project ended before its tests could say how they went; see above.\n')
process.stdout.write(`${passed} passed, ${failed + silent} failed, ${skipped} skipped\n`)
process.exit(nx.status === 0 && failed === 0 && passed > 0 ? 0 : 1)
