// Measures the console on a slow mobile line (400 ms, 50 kB a second) in a real browser: when somebody can sign in at
// the first visit, when the program has arrived, and when a later visit shows the overview.
import { ConsoleBrowser, signIn } from '../src/house/browser/console-browser.ts'
import { credentialsIn, Gateway } from '../src/house/gateway.ts'

const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const gateway = await Gateway.start()
await gateway.untilReady()
const browser = await ConsoleBrowser.start(gateway.url, { needsWhole: true })
try {
  const page = await browser.page()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', slow)

  const first = await opened()
  await page.getByLabel('Username').waitFor()
  print('first visit, form for signing in', first())
  await page.getByRole('button', { name: 'Show password' }).waitFor()
  print('first visit, program', first())
  await signIn(page, credentialsIn(gateway.folder))
  await page.waitForLoadState('networkidle')
  const later = await opened()
  await page.getByRole('figure').first().waitFor()
  print('later visit, overview with its charts', later())

  async function opened(): Promise<() => number> {
    const beganAt = performance.now()
    await page.goto(gateway.url, { waitUntil: 'commit' })
    return () => performance.now() - beganAt
  }
} finally {
  await browser.stop()
  await gateway.stop()
}

function print(what: string, ms: number): void {
  process.stdout.write(`${what}: ${(ms / 1000).toFixed(1)} s\n`)
}
