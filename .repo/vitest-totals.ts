import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import type { ProjectTotals, TestTotals } from './test-totals.ts'

/** Writes the totals of one run of a project, which `npm test` adds up. */
export class TotalsReporter implements Reporter {
  private readonly files: readonly string[]

  constructor(files: readonly string[]) {
    this.files = files
  }

  /** Deletes the totals of an earlier run, because a run that stops early must not have totals. */
  onInit(): void {
    for (const file of this.files) rmSync(file, { force: true })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const files = modules.map((module) => ({ file: module.relativeModuleId, ...totalsOf(module) }))
    const totals: ProjectTotals = {
      passed: sum(files.map(({ passed }) => passed)),
      failed: sum(files.map(({ failed }) => failed)) + unhandledErrors.length,
      skipped: sum(files.map(({ skipped }) => skipped)),
      exitCode: 0,
      failedFiles:
        unhandledErrors.length > 0 || modules.some(foundRandomly) ? [] : files.filter(({ failed }) => failed > 0),
    }
    this.#write(totals)
    // A run may fail after its last test, for example while it stops a server.
    process.once('exit', (exitCode) => this.#write({ ...totals, exitCode }))
  }

  #write(totals: ProjectTotals): void {
    for (const file of this.files) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(totals))
    }
  }
}

/** True if fast-check found a failure. Another run would use other random values and could miss it. */
function foundRandomly(module: TestModule): boolean {
  return [...module.children.allTests('failed')].some((test) =>
    test.result().errors?.some(({ message }) => message.startsWith('Property failed')),
  )
}

function totalsOf(module: TestModule): TestTotals {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  // Counts an error outside the tests, such as in an import or a `beforeAll`, as a failed test, because the tests of
  // that file or suite did not run.
  for (const group of [module, ...module.children.allSuites()]) if (group.errors().length > 0) totals.failed += 1
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    if (state === 'passed') totals.passed += 1
    else if (state === 'failed') totals.failed += 1
    else totals.skipped += 1
  }
  return totals
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
