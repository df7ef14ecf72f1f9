import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersOn } from './house/barriers.ts'
import { ConsoleBrowser, signIn } from './house/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

let gateway: Gateway
let user: ReturnType<typeof credentialsIn>
let browser: ConsoleBrowser

const pages = ['/', '/devices', '/webhooks', '/access', '/settings', '/logs', '/developers']

beforeAll(async () => {
  gateway = await Gateway.start({ WEBHOOK_ALLOW_HTTP: '1' })
  await gateway.untilReady()
  user = credentialsIn(gateway.folder)
  browser = await ConsoleBrowser.start(gateway.url)
}, 180_000)

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('a wrong password is refused with what to do; the right one is remembered; signing out forgets it', async () => {
  const page = await browser.page()
  await page.goto(gateway.url)
  await page.getByLabel('Account').fill('sms')
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

test('the first page takes less than 250 kB over the wire', async () => {
  const page = await browser.page()
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(gateway.url)
  await signIn(page, user)
  await page.getByRole('figure').first().waitFor()
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(250_000)
})

test.each(['light', 'dark'] as const)(
  'everybody can use every page, in %s colours (axe finds nothing)',
  async (colorScheme) => {
    const page = await browser.signedIn(user, { colorScheme })
    const barriers: string[] = []
    for (const path of pages) {
      await page.goto(gateway.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      barriers.push(...(await barriersOn(page)).map((barrier) => `${path} ${barrier}`))
    }
    expect(barriers).toEqual([])
  },
)

test('no page asks anybody else, writes an inline style sheet, or fails in the background', () => {
  expect(browser.complaints).toEqual([])
})
