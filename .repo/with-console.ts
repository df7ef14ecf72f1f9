// Loaded before an app that serves the console (`node --import`), to build the console at the first start. Without a
// console the app still works, and the browser shows an explanation.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { isConsoleFresh } from './console-freshness.ts'

// With arguments it is a command, which serves no console.
const isWanted = process.argv.length === 2

if (isMainThread && isWanted && !isConsoleFresh()) {
  process.stderr.write('building the console …\n')
  const { status, stderr, error } = spawnSync(process.execPath, [join(import.meta.dirname, 'build-console.ts')], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0)
    process.stderr.write(
      `${error?.message ?? stderr}\nconsole not built, starting without it. If the reason above does not help, run npm ci and start again.\n`,
    )
}
