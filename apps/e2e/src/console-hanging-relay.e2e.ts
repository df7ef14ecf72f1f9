// Tests the console while its gateway hangs. The process is stopped with SIGSTOP, so that its connections stay open.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

const banner = () => page.getByText('What you see may be out of date')
const corner = () => page.locator('.line-state').first()

test('a page shows that its gateway hangs, and recovers when the gateway continues', async () => {
  await expect.poll(() => corner().getAttribute('data-tone')).toBe('good')
  gateway.process.signal('SIGSTOP')
  try {
    await banner().waitFor()
    await expect.poll(() => corner().getAttribute('data-tone')).toBe('warn')
  } finally {
    gateway.process.signal('SIGCONT')
  }
  await banner().waitFor({ state: 'detached' })
  await expect.poll(() => corner().getAttribute('data-tone')).toBe('good')
})

test('the note about an action without an answer disappears when the gateway answers again', async () => {
  const number = '+447400123456'
  const id = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })
  await gateway.api.until(id, ({ state }) => state === 'Delivered')
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}`)
  const head = page.locator('.thread-head')
  await page.getByRole('article').getByText('Hello').waitFor()
  await page.route('**/3rdparty/v1/**', (route) => route.abort())
  await page.keyboard.press('e')
  await head.getByText('The gateway isn’t responding').waitFor()
  // The second question shows that the note remained after the first one had failed.
  await page.waitForRequest('**/health/live')
  await page.waitForRequest('**/health/live')
  await head.getByText('The gateway isn’t responding').waitFor()
  await page.unroute('**/3rdparty/v1/**')
  await head.getByText('The gateway isn’t responding').waitFor({ state: 'detached' })
})

test('a page that is loaded while the gateway does not answer shows the reason', async () => {
  await page.route('**/3rdparty/v1/**', () => undefined)
  await page.reload()
  await page.getByText('The gateway isn’t responding').waitFor()
  await page.unroute('**/3rdparty/v1/**')
  expect(browser.complaints).toEqual([])
})
