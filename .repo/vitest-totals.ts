import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { totalsFile } from './test-totals.ts'

/** Leaves the totals of one project's run where `npm test` adds them up. */
export class TotalsReporter implements Reporter {
  private readonly file: string

  constructor(project: string) {
    this.file = totalsFile(project)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const totals = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      // A file that could not be loaded has no failed test of its own, and still failed.
      if (module.errors().length > 0) totals.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') totals.passed += 1
        else if (state === 'failed') totals.failed += 1
        else totals.skipped += 1
      }
    }
    mkdirSync(dirname(this.file), { recursive: true })
    writeFileSync(this.file, JSON.stringify(totals))
  }
}
