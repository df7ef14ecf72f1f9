import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { cachedTotalsFile, TOTALS_FOLDER, totalsFile } from '../.repo/test-totals.ts'
import { TotalsReporter } from '../.repo/vitest-totals.ts'

// One configuration for all projects. Each project runs its tests from its own folder (`vitest run --config
// ../../.config/vitest.ts`), or from anywhere with --root.
const root = resolve(rootArgument() ?? '.')
const repository = resolve(import.meta.dirname, '..')
const project = relative(repository, root)
/** Starts the resources that all tests of a project share in one run, for example a database server. */
const globalSetup = resolve(root, 'src/testing/global-setup.ts')
/** Reduces the cost of passwords in unit tests. Each worker runs it before the tests. */
const passwordCost = resolve(root, 'src/testing/password-cost.ts')
/** Finds programs and servers that an end-to-end test leaves running. Each worker runs it before each test file. */
const leakCheck = resolve(root, 'src/testing/leak-check.ts')
/** Tests that start whole programs. `npm run e2e` runs them, with `--mode e2e`. */
const PROCESS_TESTS = '**/*.process.test.ts'
/** Builds the programs that tests start. */
const programs = resolve(repository, '.repo/programs-of-tests.ts')

/**
 * The end-to-end tests that take longest, in an order in which about two of five mostly wait and the others compute.
 * Vitest would start half of them last, because their files are small.
 */
const LONGEST = [
  'waiting',
  'console-dialogs',
  'clock-jumps',
  'console-languages',
  'console-long-lists',
  'console-conversations',
  'lost-answer',
  'console-pages',
  'console-inbox',
  'partition',
  'console-layout',
  'faults',
  'console-notifications',
  'stop-during-start',
  'full-disk',
  'backup',
  'console-sign-out',
  'console-relay',
  'phones-mms',
  'console-forms',
  'console-hanging-relay',
  'console-keys',
  'setup',
  'hilink',
  'console-approvals',
  'on-uncertain',
  'console',
  'test-numbers',
  'api-to-air',
].map((name) => resolve(repository, `apps/e2e/src/${name}.e2e.ts`))

/** Starts the longest test files first, so that no worker is idle while another one still runs a long file. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONGEST.find((file) => !existsSync(file))
    if (missing !== undefined) throw new Error(`.config/vitest.ts lists ${missing}, which does not exist`)
    const sorted = await super.sort(files)
    const longest = LONGEST.flatMap((file) => sorted.filter(({ moduleId }) => moduleId === file))
    return [...longest, ...sorted.filter((file) => !longest.includes(file))]
  }
}

// The folder for temporary folders of tests and of the processes that they start.
const temporary = memoryFolder()
if (temporary !== undefined) process.env['TMPDIR'] ??= temporary

export default defineConfig(({ mode }) => ({
  test: {
    reporters: ['default', new TotalsReporter(totalsFiles())],
    include: [project === 'apps/e2e' ? '**/*.e2e.ts' : mode === 'e2e' ? PROCESS_TESTS : '**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(mode === 'e2e' ? [] : [PROCESS_TESTS])],
    globalSetup: [...(existsSync(globalSetup) ? [globalSetup] : []), ...(startsPrograms(mode) ? [programs] : [])],
    setupFiles: [
      ...(mode !== 'e2e' && existsSync(passwordCost) ? [passwordCost] : []),
      ...(existsSync(leakCheck) ? [leakCheck] : []),
    ],
    // The machine may be busy, so the limit is long and only stops tests that hang.
    testTimeout: project === 'apps/e2e' ? 600_000 : mode === 'e2e' ? 360_000 : 180_000,
    hookTimeout: project === 'apps/e2e' ? 600_000 : 180_000,
    maxWorkers: workers(),
    ...(project === 'apps/e2e' ? { sequence: { sequencer: LongestFirst } } : {}),
    // The compile cache halves the start time of programs that tests start. The cache finds a module by its content.
    env: { NODE_COMPILE_CACHE: resolve(repository, '.cache/compile') },
    // The time limit for an awaited event. It is long, because the machine may be busy.
    expect: { poll: { timeout: project === 'apps/e2e' ? 120_000 : 90_000 } },
    passWithNoTests: false,
    // Test files share loaded modules, because loading the modules again would take most of the time. They share no
    // state: libraries have none, and each test file of an app has its own database or folders.
    isolate: false,
    // Node loads TypeScript itself, in half the time. Only the console has sources that Vite must compile.
    experimental: { viteModuleRunner: project === 'apps/console' },
  },
}))

/** Unit tests of the agent and the gateway also start programs. */
function startsPrograms(mode: string): boolean {
  if (project === 'apps/e2e') return false
  return mode === 'e2e' || ['apps/agent', 'apps/gateway'].includes(project)
}

/**
 * Tests of processes and databases wait most of the time, so two workers suit a machine with two cores. Tests of
 * libraries hardly wait, and each further worker loads all modules again. The relay gets four workers, because its
 * tests take the longest: they still run when all other tests have ended.
 */
function workers(): number {
  if (project === 'apps/e2e') return 5
  const least = project === 'apps/relay' ? 4 : /^(?:libs|packages)\//.test(project) ? 1 : 2
  return Math.max(least, availableParallelism() - 1)
}

/**
 * Returns the folder that Linux keeps in memory, if it has enough space and programs can be started from it. There,
 * PostgreSQL needs a third of the CPU time that it needs on a disk.
 */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  const [, , , options] = mounts.map((line) => line.split(' ')).findLast(([, place]) => place === folder) ?? []
  if (options === undefined || options.split(',').includes('noexec')) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= 2 * 1024 ** 3 ? folder : undefined
}

function totalsFiles(): string[] {
  const folder = process.env[TOTALS_FOLDER]
  return [cachedTotalsFile(repository, project), ...(folder ? [totalsFile(folder, project)] : [])]
}

function rootArgument(): string | undefined {
  const { values } = parseArgs({ args: process.argv.slice(2), options: { root: { type: 'string' } }, strict: false })
  return typeof values.root === 'string' ? values.root : undefined
}
