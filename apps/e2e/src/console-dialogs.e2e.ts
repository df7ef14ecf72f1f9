// Checks every dialogue of the console with axe, in both colour schemes, in forced colours and in both writing
// directions.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersAndForced, barriersHalved } from './house/browser/barriers.ts'
import { ConsoleBrowser, openPage } from './house/browser/console-browser.ts'
import { consoleDialogs, consoleTexts, type DialogData, fillForDialogs } from './house/browser/console-dialogs.ts'
import { House } from './house/house.ts'

let house: House
let browser: ConsoleBrowser
let page: Page
let data: DialogData
let shownLanguage = 'en'

beforeAll(async () => {
  house = await House.start()
  data = await fillForDialogs(house.api)
  browser = await ConsoleBrowser.start(house.relayUrl)
  page = await browser.signedIn(house.user)
})

afterAll(async () => {
  await browser?.stop()
  await house?.stop()
})

// Lists the dialogues without ids, because the names are needed before the ids are known.
const names = consoleDialogs({ number: '', deviceId: '', webhookId: '', messageId: '' }).map(({ name }) => name)

test.each(names)('axe finds no violations in the dialogue: %s', async (name) => {
  await openIn('en', name)
  expect(await barriersAndForced(page)).toEqual([])
})

test.each(names)('the buttons of the dialogue are visible on a small phone: %s', async (name) => {
  await page.setViewportSize({ width: 390, height: 700 })
  await openIn('en', name)
  const buttons = page.getByRole('dialog').locator('.page-actions button')
  for (const button of await buttons.all()) await expect.poll(() => isVisibleInWindow(button)).toBe(true)
  await page.setViewportSize({ width: 1_400, height: 900 })
})

test.each(names)('axe finds no violations from right to left in the dialogue: %s', async (name) => {
  await openIn('ar', name)
  expect(await barriersHalved(page)).toEqual([])
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

/** True if the button is inside the window and nothing covers its centre. */
function isVisibleInWindow(button: Locator): Promise<boolean> {
  return button.evaluate((element) => {
    const { top, bottom, left, width } = element.getBoundingClientRect()
    const { innerHeight = 0 } = element.ownerDocument.defaultView ?? {}
    const covering = element.ownerDocument.elementFromPoint(left + width / 2, (top + bottom) / 2)
    return top >= 0 && bottom <= innerHeight && element.contains(covering)
  })
}

async function openIn(language: 'en' | 'ar', name: string): Promise<void> {
  const { path, open } = consoleDialogs(data).find((dialog) => dialog.name === name) ?? fail(name)
  if (language === shownLanguage) {
    await page.keyboard.press('Escape')
    // Leaves the page first, because the path may be that of the previous dialogue.
    await openPage(page, '/nowhere')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await openPage(page, path)
  } else {
    await page.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
    await page.goto(house.relayUrl + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    shownLanguage = language
  }
  await open(page, consoleTexts(language))
  await page.getByRole('dialog').waitFor()
}

function fail(name: string): never {
  throw new Error(`there is no dialogue ${name}`)
}
