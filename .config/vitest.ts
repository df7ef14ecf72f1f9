import { basename, dirname } from 'node:path'
import { defineConfig } from 'vitest/config'
import { TotalsReporter } from '../.repo/vitest-totals.ts'

// One configuration for every project: each runs from its own folder (`vitest run --config ../../.config/vitest.ts`).
const project = `${basename(dirname(process.cwd()))}-${basename(process.cwd())}`

export default defineConfig({
  test: {
    reporters: ['default', new TotalsReporter(project)],
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    passWithNoTests: false,
  },
})
