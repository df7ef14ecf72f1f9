import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere, barriersForced, barriersOfLanguage, barriersOfMenu } from './house/browser/barriers.ts'
import { ConsoleBrowser, openPage } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const number = '+447400123456'
const pages = [
  '/',
  '/conversations',
  `/conversations/${encodeURIComponent(number)}`,
  '/compose',
  '/messages',
  '/devices',
]
const morePages = ['/webhooks', '/approvals', '/access', '/settings', '/logs', '/developers', '/nowhere']

let gateway: Gateway
let browser: ConsoleBrowser
let cookies: Awaited<ReturnType<BrowserContext['cookies']>>

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  browser = await ConsoleBrowser.start(gateway.url)
  const page = await browser.signedIn(credentialsIn(gateway.folder))
  cookies = await page.context().cookies()
  await page.context().close()
  const message = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })
  await gateway.api.until(message, ({ state }) => state === 'Delivered')
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test.each([
  ['de-AT', 'de', 'ltr', 'Anmelden'],
  ['es-MX', 'es', 'ltr', 'Iniciar sesión'],
  ['ar-EG', 'ar', 'rtl', 'تسجيل الدخول'],
  ['fr-FR', 'en', 'ltr', 'Sign in'],
])('a browser in %s shows the console in %s', async (locale, language, direction, heading) => {
  const page = await browser.page({ locale })
  await page.goto(gateway.url)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual([
    language,
    direction,
  ])
  await page.context().close()
})

test('the account menu changes the language, and the browser remembers it', async () => {
  const page = await browser.signedIn(credentialsIn(gateway.folder))
  await page.getByRole('button', { name: 'sms', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
  await page.goto(`${gateway.url}/messages`)
  await page.getByRole('list', { name: 'Nachrichten' }).getByText('Zugestellt').waitFor()
  await page.context().close()
})

test.each(['de', 'es', 'ar'])('axe finds no violations in %s on any page', async (language) => {
  const page = await pageIn(language)
  // Loads the program from a page that is not one of the checked pages.
  await page.goto(`${gateway.url}/nothing`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const barriers: string[] = []
  for (const path of [...pages, ...morePages]) {
    await openPage(page, path)
    const found = language === 'ar' ? await barriersEverywhere(page) : await barriersOfLanguage(page)
    barriers.push(...found.map((barrier) => `${path} ${barrier}`))
  }
  expect(barriers).toEqual([])
  await page.context().close()
})

test('axe finds no violations in forced colours on any page', async () => {
  const page = await browser.signedIn(credentialsIn(gateway.folder))
  const barriers: string[] = []
  for (const path of [...pages, ...morePages]) {
    if (path !== '/') await openPage(page, path)
    barriers.push(...(await barriersForced(page)).map((barrier) => `${path} ${barrier}`))
  }
  expect(barriers).toEqual([])
  await page.context().close()
})

test.each(['de', 'es', 'ar'])('axe finds no violations in %s in any menu', async (language) => {
  const page = await pageIn(language)
  const menus = [
    ['/', '.account-menu', 1400],
    [`/conversations/${encodeURIComponent(number)}`, '.thread-menu', 1400],
    ['/', '.bottom-bar button', 390],
    ['/', '.account-menu.is-short', 390],
  ] as const
  for (const [path, button, width] of menus) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(gateway.url + path)
    await page.locator(button).filter({ visible: true }).click()
    expect(await barriersOfMenu(page), button).toEqual([])
  }
  await page.context().close()
})

test.each(['en', 'de', 'es', 'ar'])(
  'the menu of a small window shows the whole names of the pages in %s',
  async (language) => {
    const page = await pageIn(language, { viewport: { width: 320, height: 640 } })
    await page.goto(`${gateway.url}/conversations`)
    const names = page.locator('.bottom-bar-name')
    const title = await page.getByRole('heading', { level: 1 }).innerText()
    expect(await names.nth(1).innerText()).toBe(title)
    const cut = (await names.all()).map((name) => name.evaluate((one) => one.scrollWidth > one.clientWidth))
    expect(await Promise.all(cut)).toEqual([false, false, false, false, false])
    await page.context().close()
  },
)

test('a step of the timeline has a name in the language of the page', async () => {
  const page = await pageIn('de')
  await page.goto(`${gateway.url}/messages`)
  await page.getByRole('list', { name: 'Nachrichten' }).getByRole('link').first().click()
  await page.getByRole('region', { name: 'Verlauf' }).getByText('Vom Netz angenommen').first().waitFor()
  await page.context().close()
})

test('phone numbers of the timeline are read from left to right in Arabic', async () => {
  const phoneNumbers = [number, '+447400123457']
  const message = await gateway.api.send({ phoneNumbers, textMessage: { text: 'To both' } })
  const page = await pageIn('ar')
  await page.goto(`${gateway.url}/messages/${message}`)
  const shown = page.locator('.timeline-details').getByText(number, { exact: true }).first()
  await shown.waitFor()
  const [plus, lastDigit] = await shown.evaluate((element) =>
    [0, -1].map((at) => {
      const text = [...element.childNodes].find(({ nodeType }) => nodeType === 3)
      const range = element.ownerDocument.createRange()
      const length = text?.textContent?.length ?? 0
      if (text !== undefined) range.setStart(text, (at + length) % length)
      if (text !== undefined) range.setEnd(text, ((at + length) % length) + 1)
      return range.getBoundingClientRect().left
    }),
  )
  expect(plus).toBeLessThan(lastDigit ?? 0)
  await page.context().close()
})

test('in forced colours, the current page, the period and the chosen command have an outline, and the marks of a legend differ without colours', async () => {
  const page = await browser.signedIn(credentialsIn(gateway.folder))
  await page.emulateMedia({ forcedColors: 'active' })
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.locator('.u-marker').nth(3).waitFor()
  const outlineOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle)
  await expect.poll(() => outlineOf('.rail-link[aria-current]')).toBe('solid')
  await expect.poll(() => outlineOf('.mantine-SegmentedControl-control:has(input:checked)')).toBe('solid')
  // Leaves out the first marker, which belongs to the time and has no line.
  const marks = await page.evaluate<
    string[]
  >(`[...document.querySelector('.plot').querySelectorAll('.u-marker')].slice(1)
    .map((marker) => getComputedStyle(marker).backgroundImage.replace(/\\w+\\([\\d., /]*\\)/g, ''))`)
  expect(marks.length).toBeGreaterThan(2)
  expect(new Set(marks).size).toBe(marks.length)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('option').first().waitFor()
  await expect.poll(() => outlineOf('.command-list [aria-selected="true"]')).toBe('solid')
  const styleOf = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`)
  expect(await styleOf('.mantine-Modal-content', 'borderTopStyle')).toBe('solid')
  await page.goto(`${gateway.url}/webhooks`)
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByRole('dialog').getByLabel('URL').waitFor()
  expect(await styleOf('.mantine-Checkbox-icon', 'color')).not.toBe(
    await styleOf('.mantine-Checkbox-input', 'backgroundColor'),
  )
  await page.context().close()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

/** Creates a page of a user who has signed in and has chosen this language. The page has loaded nothing yet. */
function pageIn(language: string, options: BrowserContextOptions = {}): Promise<Page> {
  const localStorage = [{ name: 'smsgw-language', value: language }]
  const origins = [{ origin: new URL(gateway.url).origin, localStorage }]
  return browser.page({ ...options, storageState: { cookies, origins } })
}
