// After the session has ended, in whatever way, no data of the account is left in the browser.
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleBrowser, signIn } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const number = '+447400123456'
const secret = 'Meet me at the old harbour'
/** No test passes this text to the page, so it is in its memory only if the console keeps it. */
const reply = 'I bring the map and two lanterns'

let gateway: Gateway
let user: ReturnType<typeof credentialsIn>
let browser: ConsoleBrowser

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  user = credentialsIn(gateway.folder)
  const id = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: secret } })
  await gateway.api.until(id, ({ state }) => state === 'Delivered')
  await gateway.api.ask('POST', '/virtual-phone', { from: number, text: reply })
  browser = await ConsoleBrowser.start(gateway.url)
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('a sign-out of an expired session removes all data of the user', async () => {
  const page = await openThread()
  await page.getByRole('button', { name: user.username, exact: true }).click()
  // Stops all other requests, because their 401 responses would end the session before the sign-out.
  await page.route('**/3rdparty/v1/**', (route) =>
    route.request().method() === 'DELETE' ? route.continue() : route.abort(),
  )
  await page.context().clearCookies()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await untilForgotten(page)
  await page.context().close()
})

test('a 401 response to any request removes all data of the user', async () => {
  const page = await openThread()
  await openSettingsWithoutSession(page)
  await untilForgotten(page)
  await page.context().close()
})

test('a session that is ended elsewhere ends in an open page without a click', async () => {
  const page = await openThread()
  const ended = await page.context().request.delete(`${gateway.url}/3rdparty/v1/session`, {
    headers: { origin: new URL(gateway.url).origin },
  })
  expect(ended.status()).toBe(204)
  await untilForgotten(page)
  await page.context().close()
})

test('a sign-out in one tab removes the data in every tab, even if the gateway does not answer, and a sign-in shows it again', async () => {
  const page = await openThread()
  const other = await page.context().newPage()
  await other.goto(gateway.url)
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.route('**/3rdparty/v1/**', () => undefined)
  await signOut(other)
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expect.poll(() => page.getByText(secret).count()).toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.reload()
  await untilForgotten(page)
  await signIn(other, user)
  await page.getByRole('article').getByText(secret).waitFor()
  await page.context().close()
})

test('a sign-out in one tab removes the drafts of every tab, even of a message that is being sent', async () => {
  const page = await openThread()
  const other = await page.context().newPage()
  await other.goto(gateway.url)
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const isSending = (request: Request) =>
    request.method() === 'POST' && new URL(request.url()).pathname === '/3rdparty/v1/messages'
  await page.route('**/3rdparty/v1/messages?allowShortCodes=*', () => undefined)
  const composer = page.getByLabel('Message', { exact: true })
  await composer.fill('Being sent')
  await Promise.all([page.waitForRequest(isSending), composer.press('Enter')])
  await composer.fill('Not sent')
  const aborted = page.waitForEvent('requestfailed', isSending)
  await signOut(other)
  await aborted
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(other, user)
  await page.getByRole('article').getByText(secret).waitFor()
  expect(await composer.inputValue()).toBe('')
  expect(await page.evaluate('Object.keys(localStorage).filter((name) => name.includes("draft"))')).toEqual([])
  await page.context().close()
})

test('a draft that the full browser cannot store is there again after the session expired', async () => {
  const page = await openThread()
  await page.evaluate(`
    for (let size = 4_194_304; size >= 1; size = Math.floor(size / 2))
      try {
        for (let at = 0; ; at++) localStorage.setItem('filler ' + size + ' ' + at, 'x'.repeat(size))
      } catch (error) {
        // Storage has no room for a value of this size. The next size fills what is left.
        if (error.name !== 'QuotaExceededError') throw error
      }
  `)
  const composer = page.getByLabel('Message', { exact: true })
  const text = 'A text for which the browser has no room'
  await composer.fill(text)
  expect(await page.evaluate('Object.keys(localStorage).filter((name) => name.includes("draft"))')).toEqual([])
  await openSettingsWithoutSession(page)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(page, user)
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.goBack()
  await expect.poll(() => composer.inputValue()).toBe(text)
  await page.context().close()
})

test('after a sign-out, the page of a message does not lead back to the conversation of the former user', async () => {
  const page = await openThread()
  await page.locator('article a[href^="/messages/"]').first().click()
  const back = page.getByRole('link', { name: /^Back to / })
  await expect.poll(() => back.getAttribute('href')).toContain('/conversations/')
  await signOut(page)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(page, user)
  await expect.poll(() => back.getAttribute('href')).toBe('/messages')
  await page.context().close()
})

test('Back shows the sign-in page after a sign-out, even if the browser has kept the page', async () => {
  const keeping = await ConsoleBrowser.start(gateway.url, {
    needsWhole: true,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  })
  const page = await keeping.signedIn(user)
  await showThread(page)
  await page.evaluate(`addEventListener('pageshow', ({ persisted }) => { globalThis.isKept = persisted })`)
  await page.goto(`${gateway.url}/docs`)
  await page.goBack({ waitUntil: 'commit' })
  await page.getByRole('article').getByText(secret).waitFor()
  expect(await page.evaluate('globalThis.isKept')).toBe(true)
  await page.goto(`${gateway.url}/docs`)
  await page.context().clearCookies()
  await page.goBack({ waitUntil: 'commit' })
  await untilForgotten(page)
  expect(await page.evaluate('globalThis.isKept')).toBe(true)
  expect(keeping.complaints).toEqual([])
  await keeping.stop()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function openThread(): Promise<Page> {
  const page = await browser.signedIn(user)
  await showThread(page)
  await expect.poll(() => keepsReply(page)).toBe(true)
  return page
}

async function showThread(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /^Conversations/ })
    .first()
    .click()
  await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: number }).click()
  await page.getByRole('article').getByText(secret).waitFor()
}

/** Holds the requests of the page until the click, because the response to an earlier one would end the session. */
async function openSettingsWithoutSession(page: Page): Promise<void> {
  const clicked = Promise.withResolvers<void>()
  await page.route('**/3rdparty/v1/**', async (route) => {
    await clicked.promise
    await route.continue()
  })
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  clicked.resolve()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: user.username, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Waits for the sign-in page, and checks that the data is neither in memory nor shown by Back. */
async function untilForgotten(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expect.poll(() => page.title()).toBe('Sign in · smsgw')
  expect(await page.getByText(secret).count()).toBe(0)
  await expect.poll(() => keepsReply(page)).toBe(false)
  await page.goBack({ waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByText(secret).count()).toBe(0)
  await page.goForward({ waitUntil: 'commit' })
}

/** True if the memory of the page contains the text of the reply. */
async function keepsReply(page: Page): Promise<boolean> {
  const session = await page.context().newCDPSession(page)
  let snapshot = ''
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    snapshot += chunk
  })
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return snapshot.includes(reply)
}
