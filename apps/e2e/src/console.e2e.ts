import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser, openPage, signIn } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

let gateway: Gateway
let user: ReturnType<typeof credentialsIn>
let browser: ConsoleBrowser

const pages = [
  '/',
  '/compose',
  '/messages',
  '/devices',
  '/webhooks',
  '/access',
  '/settings',
  '/logs',
  '/developers',
  '/nowhere',
]

beforeAll(async () => {
  gateway = await Gateway.start({ WEBHOOK_ALLOW_HTTP: '1' })
  await gateway.untilReady()
  user = credentialsIn(gateway.folder)
  browser = await ConsoleBrowser.start(gateway.url)
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('refuses a wrong password with advice, keeps the session after a right password, and ends it at sign-out', async () => {
  const page = await browser.page()
  await page.goto(gateway.url)
  await page.locator('#root form').waitFor()
  await page.getByLabel('Username').fill('sms')
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await signIn(page, user)
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'sms', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('the first page transfers less than 250 kB', async () => {
  const page = await browser.page()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  // Counts each address once, because some addresses are read repeatedly while a slow machine draws the page.
  const addresses = new Map<string, string>()
  const transferred = new Map<string, number>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    transferred.set(addresses.get(requestId) ?? requestId, encodedDataLength)
  })
  await page.goto(gateway.url)
  await signIn(page, user)
  await page.getByRole('figure').first().waitFor()
  const bytes = [...transferred.values()].reduce((sum, one) => sum + one, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
})

test('axe finds no violations on any page, in light and dark colours, on a desktop and on a phone', async () => {
  const page = await browser.signedIn(user)
  const barriers: string[] = []
  for (const path of pages) {
    if (path !== '/') await openPage(page, path)
    barriers.push(...(await barriersEverywhere(page)).map((barrier) => `${path} ${barrier}`))
  }
  expect(barriers).toEqual([])
})

test('an unknown address shows an error and the menu', async () => {
  const page = await browser.signedIn(user)
  for (const path of ['/nowhere', '/messages/100%25', '/messages/a%252Fb', '/webhooks/%25%25']) {
    await page.goto(gateway.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByRole('heading', { name: 'Something went wrong' }).count()).toBe(0)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }
})

test('after a new sign-in, no data of the previous user is shown', async () => {
  const page = await browser.signedIn(user)
  await page.goto(`${gateway.url}/settings`)
  await page.getByRole('region', { name: 'Sending' }).waitFor()
  await page.context().clearCookies()
  const read: string[] = []
  page.on('response', (response) => response.ok() && read.push(new URL(response.url()).pathname))
  // Opens the form, unless a request in the background has already shown the form and removed the menu.
  await page.evaluate(`document.querySelector('a[href="/devices"]')?.click()`)
  await signIn(page, user)
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  await page.getByRole('region', { name: 'Sending' }).waitFor()
  await expect.poll(() => read).toContain('/3rdparty/v1/settings')
})

test('no page contacts another server, adds an inline style sheet, or has errors in the background', () => {
  expect(browser.complaints).toEqual([])
})
