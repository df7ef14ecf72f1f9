import { relative, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { TOTALS_FOLDER, totalsFile } from '../.repo/test-totals.ts'
import { TotalsReporter } from '../.repo/vitest-totals.ts'

// One configuration for every project: each runs from its own folder (`vitest run --config ../../.config/vitest.ts`).
const project = relative(resolve(import.meta.dirname, '..'), process.cwd())
const folder = process.env[TOTALS_FOLDER]

export default defineConfig({
  test: {
    reporters: ['default', ...(folder ? [new TotalsReporter(totalsFile(folder, project))] : [])],
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    passWithNoTests: false,
    // Pure code leaves nothing behind that a process of its own would clear away; it costs most of the time.
    isolate: !project.startsWith('libs/'),
  },
})
