// `npm test`: runs the tests of every project with Nx. The last line is the total. With `--e2e`, it runs the end-to-end
// tests (`npm run e2e`). Other arguments are passed to Nx: `npm test -- --projects=@smsgw/sms`. With `--affected`, it
// runs only the tests of projects whose files or dependencies differ from the main branch: `npm test -- --affected
// --base=origin/main`. With `--repeat`, it runs the files of up to three failed tests again. A test that passes then is
// counted as passed and reported as unstable.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  cachedTotalsFile,
  type ProjectTotals,
  readTotals,
  type TestTotals,
  TOTALS_FOLDER,
  totalsFile,
} from './test-totals.ts'

interface Project {
  readonly name: string
  /** The folder of the project relative to the root of the repository, such as `libs/sms`. */
  readonly folder: string
}

const MOST_UNSTABLE = 3
const NO_TESTS: TestTotals = { passed: 0, failed: 0, skipped: 0 }
const isAffected = process.argv.includes('--affected')
const target = process.argv.includes('--e2e') ? 'e2e' : 'test'
const repeats = process.argv.includes('--repeat')
const given = process.argv.slice(2).filter((argument) => !['--affected', '--e2e', '--repeat'].includes(argument))
/** The tests of this project take the longest. Nx would start them late, after the libraries that it depends on. */
const LONGEST = '@smsgw/relay'
// Nx tests three projects at the same time (nx.json), because tests that start processes wait almost half of the time.
const nxArguments = [isAffected ? 'affected' : 'run-many', '-t', target, '--output-style=stream', ...given]
const projects = selectedProjects()
// Each run has its own folder, because two runs may overlap in time.
const totalsFolder = mkdtempSync(join(tmpdir(), 'smsgw-test-totals-'))
process.on('exit', () => rmSync(totalsFolder, { recursive: true, force: true }))

let interruptedBy: NodeJS.Signals | undefined
let nxCode = await runNx(...(startsLongestFirst() ? longestFirst() : [nxArguments]))
let totals = sumOfTotals(nxCode)
const unstable = repeats ? await repeatFailedFiles() : []
for (const file of unstable) process.stdout.write(`UNSTABLE: ${file} failed and then passed when it was repeated\n`)
const { passed, failed, skipped } = totals
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
const mayBeEmpty = isAffected && projects.length === 0
process.exit(nxCode === 0 && failed === 0 && (passed > 0 || mayBeEmpty) ? 0 : 1)

function startsLongestFirst(): boolean {
  return target === 'test' && !isAffected && given.length === 0 && projects.some(({ name }) => name === LONGEST)
}

/** Two runs of Nx at the same time, which together still test three projects at the same time. */
function longestFirst(): string[][] {
  return [
    [...nxArguments, `--projects=${LONGEST}`],
    [...nxArguments, `--exclude=${LONGEST}`, '--parallel=2'],
  ]
}

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

/**
 * Runs the files of failed tests again, adds their new totals, and returns the files that pass. More than three failed
 * tests are probably a real fault, so then no file is repeated.
 */
async function repeatFailedFiles(): Promise<string[]> {
  if (totals.failed > MOST_UNSTABLE) return []
  const passedNow: string[] = []
  for (const project of projects) {
    const { failedFiles = [] } = totalsOf(project) ?? {}
    if (failedFiles.length === 0) continue
    const files = failedFiles.map(({ file }) => file)
    rmSync(totalsFile(totalsFolder, project.folder), { force: true })
    const code = await runNx(['run', `${project.name}:${target}`, ...files, '--skip-nx-cache', '--output-style=stream'])
    const repeated = readTotals(totalsFile(totalsFolder, project.folder))
    const first = failedFiles.reduce((sum, file) => add(sum, file), NO_TESTS)
    if (code !== 0 || repeated === undefined || !hasPassed(repeated, first)) continue
    totals = add(totals, first, -1)
    totals = add(totals, repeated)
    passedNow.push(...files.map((file) => `${project.folder}/${file}`))
  }
  if (totals.failed === 0) nxCode = 0
  return passedNow
}

/**
 * True if no test failed in the second run, more tests passed than in the first run, and no further tests were skipped
 * or left out.
 */
function hasPassed(repeated: ProjectTotals, first: TestTotals): boolean {
  const countOf = ({ passed, skipped }: TestTotals) => passed + skipped
  return (
    repeated.failed === 0 &&
    repeated.exitCode === 0 &&
    repeated.passed > first.passed &&
    repeated.skipped <= first.skipped &&
    countOf(repeated) >= countOf(first)
  )
}

/** Runs Nx with each list of arguments, at the same time. Returns 0 if every run succeeded. */
async function runNx(...runs: readonly (readonly string[])[]): Promise<number> {
  const codes = await Promise.all(runs.map(spawnNx))
  if (interruptedBy) process.exit(128 + constants.signals[interruptedBy])
  return codes.every((code) => code === 0) ? 0 : 1
}

function spawnNx(nxArguments: readonly string[]): Promise<number | null> {
  const nx = spawn('nx', nxArguments, { stdio: 'inherit', env: { ...process.env, [TOTALS_FOLDER]: totalsFolder } })
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
    nx.on('exit', resolve)
  })
}

function sumOfTotals(nxCode: number): TestTotals {
  let sum = NO_TESTS
  for (const project of projects) {
    const totals = totalsOf(project)
    if (!totals) process.stdout.write(`${project.name} ended without test results; see above.\n`)
    sum = add(sum, totals ?? { passed: 0, failed: 1, skipped: 0 })
    if (!totals?.exitCode || totals.failed > 0) continue
    process.stdout.write(`${project.name} failed, although none of its tests failed; see above.\n`)
    sum = add(sum, { passed: 0, failed: 1, skipped: 0 })
  }
  if (nxCode === 0 || sum.failed > 0) return sum
  process.stdout.write('Nx failed, although no test failed; see above.\n')
  return { ...sum, failed: 1 }
}

function add(a: TestTotals, b: TestTotals, sign: 1 | -1 = 1): TestTotals {
  return {
    passed: a.passed + sign * b.passed,
    failed: a.failed + sign * b.failed,
    skipped: a.skipped + sign * b.skipped,
  }
}

/** If this run wrote no file, Nx used a cached result, and restored the file with its totals. */
function totalsOf({ folder }: Project): ProjectTotals | undefined {
  return readTotals(totalsFile(totalsFolder, folder)) ?? readTotals(cachedTotalsFile(process.cwd(), folder))
}
