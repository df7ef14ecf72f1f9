// Loaded before an app that serves the console (`node --import`), so that it is there from the very first start on.
// Without it the app is there all the same, and says so in the browser.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { isConsoleFresh } from './console-freshness.ts'

const isAsked = !process.argv.includes('--help')

if (isMainThread && isAsked && !isConsoleFresh()) {
  process.stderr.write('building the console …\n')
  const { status, stderr, error } = spawnSync(process.execPath, [join(import.meta.dirname, 'build-console.ts')], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0)
    process.stderr.write(
      `${error?.message ?? stderr}\nThe console could not be built, so the start goes on without it. When the reason above does not help: npm ci, then start again.\n`,
    )
}
