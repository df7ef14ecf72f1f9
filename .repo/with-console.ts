// Loaded before an app that serves the console (`node --import`), to build the console at the first start. Without a
// console the app still works, and the browser shows an explanation.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { isConsoleFresh } from './console-freshness.ts'

// A command serves no console. Settings such as `--port 3001` are not a command.
const [, , first = '--'] = process.argv
const isWanted = first.startsWith('--') && !process.argv.includes('--help') && first !== '--version'

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
