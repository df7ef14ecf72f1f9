// Tests the console as an app with notifications. Chromium cannot reach its push service in tests, so a push service of
// the tests replaces it: only `pushManager.subscribe` is changed. The test passes each received notification to the
// service worker.
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { PushService, reachingPushService } from './house/peers/push-service.ts'

const ada = '+447400123456'
const origin = () => new URL(gateway.url).origin
let service: PushService
let gateway: Gateway
let browser: ConsoleBrowser

beforeAll(async () => {
  service = await PushService.start()
  gateway = await Gateway.start(reachingPushService)
  await gateway.untilReady()
  browser = await ConsoleBrowser.start(gateway.url, { needsWhole: true })
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
  await service?.stop()
})

test('a browser can install the console', async () => {
  const page = await browser.page()
  await page.goto(gateway.url)
  const devtools = await page.context().newCDPSession(page)
  const { data = '', errors } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { icons } = JSON.parse(data) as { icons: { src: string; sizes: string; type: string }[] }
  for (const { src, type } of icons) {
    const answer = await page.request.get(gateway.url + src)
    expect([src, answer.status(), answer.headers()['content-type']]).toEqual([src, 200, type])
  }
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // Expects this error, because pages of a test are incognito windows, which cannot install an app.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  await page.context().close()
})

test('a received message notifies a browser whose console has no focus, and a click opens the conversation', async () => {
  const page = await signedInWithPush('en-GB')
  await turnOn(page)
  await page.getByRole('switch', { name: 'Show the first line of messages' }).click()
  await expect.poll(() => switchOf(page, 'Show the first line of messages').isChecked()).toBe(true)
  const devtools = await page.context().newCDPSession(page)
  const before = service.contents.length
  await receive(ada, 'Are you coming?')
  await expect.poll(() => service.contents.length).toBe(before + 1)
  expect(JSON.parse(service.contents.at(-1) ?? '')).toEqual({
    ...{ kind: 'message.received', language: 'en', count: 1, about: ada, text: 'Are you coming?' },
  })

  await lookElsewhere(page.context())
  await deliver(devtools, service.contents.at(-1) ?? '')
  await expect
    .poll(() => shown(page))
    .toEqual([{ title: `New message from \u2068${ada}\u2069`, body: 'Are you coming?', path: conversation }])
  await click(page.context())
  await expect.poll(() => new URL(page.url()).pathname).toBe(conversation)
  await page.context().close()
})

test('a browser whose console has the focus shows no notification', async () => {
  const page = await signedInWithPush('en-GB')
  await turnOn(page)
  const devtools = await page.context().newCDPSession(page)
  const content = { kind: 'message.received', language: 'en', count: 1, about: ada }
  await page.bringToFront()
  await untilFocused(page.context(), 1)
  await deliver(devtools, JSON.stringify(content))
  // Delivers a test notification. If only this one is shown, the earlier notification was left out.
  await deliver(devtools, JSON.stringify({ ...content, kind: 'test' }))
  await expect.poll(async () => (await shown(page)).map(({ title }) => title)).toEqual(['Notifications work'])
  await page.context().close()
})

test('the test button sends a notification in the language of the console', async () => {
  const page = await signedInWithPush('ar-EG')
  await page.goto(`${gateway.url}/settings`)
  await page.getByRole('region', { name: 'الإشعارات' }).getByRole('switch').first().click()
  await page.getByRole('button', { name: 'إرسال إشعار تجريبي' }).click()
  await expect
    .poll(() => service.contents.map((content) => JSON.parse(content)))
    .toContainEqual(expect.objectContaining({ kind: 'test', language: 'ar' }))
  await page.getByText('أُرسل الإشعار التجريبي').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await page.context().close()
})

test('after notifications are turned off or the user signs out, a browser gets no more notifications', async () => {
  const page = await signedInWithPush('en-GB')
  const count = async () => (await gateway.api.ask('GET', '/push/subscriptions')).json.length
  await turnOn(page)
  await expect.poll(count).toBe(1)
  await page.getByRole('switch', { name: 'Notify me in this browser' }).click()
  await expect.poll(count).toBe(0)
  await turnOn(page)
  await expect.poll(count).toBe(1)
  await page.getByRole('button', { name: 'sms', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect.poll(count).toBe(0)
  await page.context().close()
})

test('a renewal that ends late does not turn notifications on again', async () => {
  const page = await signedInWithPush('en-GB')
  await turnOn(page)
  const held = Promise.withResolvers<void>()
  await page.route('**/push/subscriptions', async (route) => {
    await held.promise
    await route.continue()
  })
  const renewal = page.waitForRequest('**/push/subscriptions')
  await page.goto(`${gateway.url}/settings`)
  await renewal
  const wanted = switchOf(page, 'Notify me in this browser')
  await wanted.click()
  await expect.poll(() => wanted.isChecked()).toBe(false)
  const renewed = page.waitForResponse('**/push/subscriptions')
  held.resolve()
  await renewed
  await expect.poll(async () => (await gateway.api.ask('GET', '/push/subscriptions')).json.length).toBe(0)
  await page.reload()
  await wanted.waitFor()
  expect(await wanted.isChecked()).toBe(false)
  await page.context().close()
})

test('without a push service, only one of several open tabs shows notifications', async () => {
  const page = await browser.signedIn(credentialsIn(gateway.folder), { locale: 'en-GB' })
  await page.context().grantPermissions(['notifications'], { origin: origin() })
  await page.addInitScript({
    content:
      "PushManager.prototype.subscribe = () => Promise.reject(new DOMException('no push service', 'AbortError'))",
  })
  await turnOn(page)
  await page.getByRole('main').getByText('You are notified only while the console is open.').waitFor()
  const other = await page.context().newPage()
  await other.goto(`${gateway.url}/logs`)
  await other.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  // One tab has the lock, and the other tab waits for it.
  await expect.poll(() => page.evaluate(tabsWithLock)).toEqual([1, 1])
  await lookElsewhere(page.context())
  await receive(ada, 'Hello again')
  await expect.poll(async () => (await shown(page)).map(({ path }) => path)).toEqual([conversation])
  await page.context().close()
})

test.each([
  [
    'blocked',
    "Object.defineProperty(Notification, 'permission', { get: () => 'denied' })",
    'Notifications are blocked in this browser.',
  ],
  [
    'insecure',
    "Object.defineProperty(globalThis, 'isSecureContext', { get: () => false })",
    'Notifications need HTTPS.',
  ],
  ['unsupported', 'delete globalThis.Notification', 'This browser doesn’t support notifications'],
])('the settings explain why notifications are %s', async (_, script, text) => {
  const page = await browser.signedIn(credentialsIn(gateway.folder), { locale: 'en-GB' })
  await page.addInitScript({ content: script })
  await page.goto(`${gateway.url}/settings`)
  await page.getByRole('region', { name: 'Notifications' }).getByText(text).waitFor()
  expect(await page.getByRole('switch', { name: 'Notify me in this browser' }).count()).toBe(0)
  await page.context().close()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

const conversation = `/conversations/${encodeURIComponent(ada)}`

async function signedInWithPush(locale: string): Promise<Page> {
  const page = await browser.page({ locale })
  await page.context().grantPermissions(['notifications'], { origin: origin() })
  await page.addInitScript({
    content: `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${JSON.stringify(service.subscription)}) })`,
  })
  const { username, password } = credentialsIn(gateway.folder)
  await page.goto(gateway.url)
  await page.request.post(`${gateway.url}/3rdparty/v1/session`, { data: { username, password } })
  await page.goto(gateway.url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function turnOn(page: Page): Promise<void> {
  await page.goto(`${gateway.url}/settings`)
  await page.getByRole('switch', { name: 'Notify me in this browser' }).click()
  await page.getByRole('button', { name: 'Send test notification' }).waitFor()
}

const switchOf = (page: Page, name: string) => page.getByRole('switch', { name })

/** Removes the focus from all pages, because otherwise every page in a browser of Playwright has the focus. */
async function lookElsewhere(context: BrowserContext): Promise<void> {
  const elsewhere = await context.newPage()
  await elsewhere.bringToFront()
  for (const page of context.pages()) {
    const devtools = await context.newCDPSession(page)
    for (const enabled of [true, false]) await devtools.send('Emulation.setFocusEmulationEnabled', { enabled })
  }
  for (const page of context.pages().filter((one) => one !== elsewhere))
    await expect.poll(() => page.evaluate('document.hasFocus()')).toBe(false)
  await untilFocused(context, 0)
}

/** Waits, because the service worker detects a change of the focus later than the page. */
async function untilFocused(context: BrowserContext, windows: number): Promise<void> {
  await expect.poll(() => context.serviceWorkers()[0]?.evaluate(focusedWindows)).toBe(windows)
}

const focusedWindows = `clients.matchAll({ type: 'window', includeUncontrolled: true })
  .then((all) => all.filter(({ focused }) => focused).length)`

const tabsWithLock = `navigator.locks.query().then(({ held, pending }) =>
  [held, pending].map((all) => all.filter(({ name }) => name === 'smsgw-notifications').length))`

async function receive(from: string, text: string): Promise<void> {
  expect((await gateway.api.ask('POST', '/virtual-phone', { from, text })).status).toBe(202)
}

async function deliver(devtools: CDPSession, data: string): Promise<void> {
  const registration = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: origin(),
    registrationId: await registration,
    data,
  })
  await devtools.send('ServiceWorker.disable')
}

interface Shown {
  readonly title: string
  readonly body: string
  readonly path: string
}

function shown(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, data }) => ({ title, body, path: data.path })))`)
}

/** Dispatches the event of a click in the service worker, because the devtools cannot click on a notification. */
async function click(context: BrowserContext): Promise<void> {
  await context.serviceWorkers()[0]?.evaluate(`registration.getNotifications().then(([notification]) => {
    dispatchEvent(new NotificationEvent('notificationclick', { notification }))
  })`)
}
