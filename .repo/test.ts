// `npm test`: runs the tests of every project with Nx. The last line is the total. With `--e2e`, it runs the end-to-end
// tests (`npm run e2e`). Other arguments are passed to Nx: `npm test -- --projects=@smsgw/sms`. With `--affected`, it
// runs only the tests of projects whose files or dependencies differ from the main branch: `npm test -- --affected
// --base=origin/main`.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachedTotalsFile, readTotals, TOTALS_FOLDER, type Totals, totalsFile } from './test-totals.ts'

interface Project {
  readonly name: string
  /** The folder of the project relative to the root of the repository, such as `libs/sms`. */
  readonly folder: string
}

const isAffected = process.argv.includes('--affected')
const target = process.argv.includes('--e2e') ? 'e2e' : 'test'
const given = process.argv.slice(2).filter((argument) => argument !== '--affected' && argument !== '--e2e')
// Nx tests three projects at the same time (nx.json), because tests that start processes wait almost half of the time.
// Also, the tests of the relay, which take longest, then start earlier.
const nxArguments = [isAffected ? 'affected' : 'run-many', '-t', target, '--output-style=stream', ...given]
const projects = selectedProjects()
// Each run has its own folder, because two runs may overlap in time.
const totalsFolder = mkdtempSync(join(tmpdir(), 'smsgw-test-totals-'))
process.on('exit', () => rmSync(totalsFolder, { recursive: true, force: true }))

const nxCode = await runNx()
const { passed, failed, skipped } = sumOfTotals(nxCode)
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
const mayBeEmpty = isAffected && projects.length === 0
process.exit(nxCode === 0 && failed === 0 && (passed > 0 || mayBeEmpty) ? 0 : 1)

/**
 * Returns the projects that Nx would run for these arguments. If there are none, as for `--help`, prints the output of
 * Nx and exits.
 */
function selectedProjects(): Project[] {
  const { stdout, status } = spawnSync('nx', [...nxArguments, '--graph=stdout'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 << 20,
  })
  if (!stdout?.startsWith('{')) {
    process.stdout.write(stdout ?? '')
    process.exit(status ?? 1)
  }
  const tasks: { target: { project: string }; projectRoot: string }[] = Object.values(JSON.parse(stdout).tasks.tasks)
  return tasks.map(({ target, projectRoot }) => ({ name: target.project, folder: projectRoot }))
}

function runNx(): Promise<number | null> {
  const nx = spawn('nx', nxArguments, { stdio: 'inherit', env: { ...process.env, [TOTALS_FOLDER]: totalsFolder } })
  let interruptedBy: NodeJS.Signals | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruptedBy = signal
      // Does not forward Ctrl-C, because a terminal also sends it to Nx.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) nx.kill(signal)
    })
  }
  return new Promise((resolve) => {
    nx.on('error', (error) => {
      process.stdout.write(`nx could not be started: ${error.message}\n`)
      resolve(1)
    })
    nx.on('exit', (code) => {
      if (interruptedBy) process.exit(128 + constants.signals[interruptedBy])
      resolve(code)
    })
  })
}

function sumOfTotals(nxCode: number | null): Totals {
  const sum: Totals = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, folder } of projects) {
    // If this run wrote no file, Nx used a cached result, and restored the file with its totals.
    const totals = readTotals(totalsFile(totalsFolder, folder)) ?? readTotals(cachedTotalsFile(process.cwd(), folder))
    if (!totals) process.stdout.write(`${name} ended without test results; see above.\n`)
    sum.passed += totals?.passed ?? 0
    sum.failed += totals?.failed ?? 1
    sum.skipped += totals?.skipped ?? 0
  }
  if (nxCode === 0 || sum.failed > 0) return sum
  process.stdout.write('Nx failed, although no test failed; see above.\n')
  return { ...sum, failed: 1 }
}
