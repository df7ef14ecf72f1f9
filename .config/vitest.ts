import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'vitest/config'
import { TOTALS_FOLDER, totalsFile } from '../.repo/test-totals.ts'
import { TotalsReporter } from '../.repo/vitest-totals.ts'

// One configuration for every project: each runs from its own folder (`vitest run --config ../../.config/vitest.ts`), or
// from anywhere with --root.
const root = resolve(rootArgument() ?? '.')
const project = relative(resolve(import.meta.dirname, '..'), root)
const folder = process.env[TOTALS_FOLDER]
/** What a project's tests share in one run, a database server for example. */
const globalSetup = resolve(root, 'src/testing/global-setup.ts')

export default defineConfig({
  test: {
    reporters: ['default', ...(folder ? [new TotalsReporter(totalsFile(folder, project))] : [])],
    // What takes real processes has a command of its own: `npm run e2e`.
    include: [project === 'apps/e2e' ? '**/*.e2e.ts' : '**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // How long a test takes is the machine's affair, which may be busy: only one that hangs is to fail by it.
    testTimeout: project === 'apps/e2e' ? 600_000 : 60_000,
    hookTimeout: project === 'apps/e2e' ? 600_000 : 60_000,
    // What it does most is wait, for a modem or a link to come back.
    ...(project === 'apps/e2e' ? { maxWorkers: 4 } : {}),
    passWithNoTests: false,
    // Pure code leaves nothing behind that a process of its own would clear away, and what the relay's tests share is a
    // database of their own each; loading everything anew for each file costs most of the time.
    isolate: !project.startsWith('libs/') && project !== 'apps/relay',
  },
})

function rootArgument(): string | undefined {
  const { values } = parseArgs({ args: process.argv.slice(2), options: { root: { type: 'string' } }, strict: false })
  return typeof values.root === 'string' ? values.root : undefined
}
