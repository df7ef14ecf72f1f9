import { afterAll } from 'vitest'
import { eventually } from '../house/api-client.ts'
import { keptBrowsers } from '../house/browser/console-browser.ts'

// Test files share workers, so a program or a server that a file leaves running would disturb the next files.
const before = running()

afterAll(async () => {
  await eventually(running, (now) => now <= before).catch(() => {
    throw new Error(`${running() - before} processes and servers still run after the tests of this file`)
  })
})

/** The number of child processes and listening servers of this worker. */
function running(): number {
  const kinds = ['ProcessWrap', 'TCPServerWrap']
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind)).length - keptBrowsers()
}
