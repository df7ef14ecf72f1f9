import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Leaves the totals of one project's run where `npm test` adds them up. */
export class TotalsReporter implements Reporter {
  private readonly file: string

  constructor(file: string) {
    this.file = file
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      // What broke a file or a suite (an import, a beforeAll) leaves no failed test, only tests that did not run.
      for (const group of [module, ...module.children.allSuites()]) if (group.errors().length > 0) totals.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') totals.passed += 1
        else if (state === 'failed') totals.failed += 1
        else totals.skipped += 1
      }
    }
    writeFileSync(this.file, JSON.stringify(totals))
  }
}
