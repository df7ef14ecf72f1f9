// Tests the console with 100 000 messages. Lists keep elements only near the visible part, even after much scrolling.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { untilStill } from './house/browser/until-still.ts'
import { busiestNumber, fillHistory } from './house/fill-history.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { openDatabase } from './house/open-database.ts'

const mostItems = 200
const mostElements = 4_000

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  const database = await openDatabase(gateway.folder)
  await fillHistory(database, { messages: 100_000, numbers: 4_000 })
  await database.end()
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('the list of conversations has few elements, and Back from a conversation returns to its position', async () => {
  await go('/conversations')
  const list = page.getByRole('region', { name: 'Conversations' })
  const first = await list.getByRole('link', { name: /^\+/ }).first().innerText()
  await loadMore(list, 300)
  await expectFewElements()
  const link = list.locator('[aria-posinset="300"]').getByRole('link')
  await link.scrollIntoViewIfNeeded()
  const place = await untilStill(() => list.evaluate((section) => section.scrollTop))
  await link.click()
  await page.getByRole('log', { name: 'Messages' }).waitFor()
  await expect.poll(() => list.evaluate((section) => section.scrollTop)).toBe(place)
  await page.goBack()
  await page.getByRole('log', { name: 'Messages' }).waitFor({ state: 'detached' })
  await expect.poll(() => list.evaluate((section) => section.scrollTop)).toBe(place)
  await list.evaluate((section) => section.scrollTo({ top: 0 }))
  await list
    .getByText(first.split('\n')[0] ?? '')
    .first()
    .waitFor()
})

test('keys move through the list of conversations, even where its elements were removed', async () => {
  await go('/conversations')
  const list = page.getByRole('region', { name: 'Conversations' })
  await loadMore(list, 150)
  await list.evaluate((section) => section.scrollTo({ top: 0 }))
  for (let step = 0; step < 60; step++) await page.keyboard.press('j')
  const current = list.locator('[aria-current="true"]')
  await expect.poll(() => isInView(current)).toBe(true)
  const item = list.getByRole('listitem').filter({ has: page.locator('[aria-current="true"]') })
  await expect.poll(() => item.getAttribute('aria-posinset')).toBe('60')
})

test('a search for a text of one old message finds it without a click', async () => {
  await go('/conversations')
  await page.getByRole('searchbox').fill('order no. 99998 ')
  const found = page.getByRole('region', { name: 'Conversations' }).getByRole('listitem')
  await found.locator('mark').first().waitFor()
  await expect.poll(() => found.count()).toBe(1)
  await page.getByRole('searchbox').fill('xylophone')
  await page.getByRole('region', { name: 'Conversations' }).getByText('No results').waitFor()
  expect(await page.getByRole('button', { name: 'Search older messages' }).count()).toBe(0)
})

test('the list of messages has few elements, and Back returns to a message far down', async () => {
  await go('/messages')
  expect(await barriersEverywhere(page)).toEqual([])
  const list = page.getByRole('list', { name: 'Messages' })
  await loadMore(page.getByRole('main'), 300)
  await expectFewElements()
  const item = list.locator('[aria-posinset="300"]')
  const name = await item.getByRole('link').getAttribute('href')
  await item.getByRole('link').click()
  await page.getByRole('region', { name: 'Timeline' }).waitFor()
  await page.goBack()
  await expect.poll(() => isInView(page.locator(`a[href="${name}"]`))).toBe(true)
})

test('on a phone, the page of a message leads back to the place in the list, with its filter', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  const filter = '?state=Delivered'
  await go(`/messages${filter}`)
  await loadMore(page.getByRole('main'), 100)
  const link = page.getByRole('list', { name: 'Messages' }).locator('[aria-posinset="80"]').getByRole('link')
  const name = await link.getAttribute('href')
  const back = page.getByRole('link', { name: 'Back to Outgoing messages', exact: true })
  const isBack = async () => {
    await expect.poll(() => new URL(page.url()).search).toBe(filter)
    await page.getByRole('list', { name: 'Messages' }).waitFor()
  }
  await link.click()
  await back.click()
  await isBack()
  await expect.poll(() => isInView(page.locator(`a[href="${name}"]`))).toBe(true)
  await page.locator(`a[href="${name}"]`).click()
  await back.waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
  await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('content')
  await back.click()
  await isBack()
  await go(name ?? '')
  await expect.poll(() => back.getAttribute('href')).toBe('/messages')
  await page.setViewportSize({ width: 1_400, height: 900 })
})

test('a new message does not move the list of messages below its top', async () => {
  await go('/messages')
  await loadMore(page.getByRole('main'), 100)
  const list = page.getByRole('list', { name: 'Messages' })
  await page.evaluate('scrollTo(0, 2000)')
  await list.locator('[aria-posinset="40"]').waitFor()
  await untilStill(() => page.evaluate<number>('scrollY'))
  const href = await page.evaluate(
    'document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest("li").querySelector("a").getAttribute("href")',
  )
  const item = list.getByRole('listitem').filter({ has: page.locator(`a[href="${href}"]`) })
  const top = () => item.evaluate((element) => element.getBoundingClientRect().top)
  const before = await untilStill(top)
  const position = Number(await item.getAttribute('aria-posinset'))
  await gateway.api.send({ phoneNumbers: ['+447400777777'], textMessage: { text: 'A new one' } })
  await expect.poll(() => item.getAttribute('aria-posinset')).toBe(String(position + 1))
  expect(Math.abs((await untilStill(top)) - before)).toBeLessThan(3)
  await page.evaluate('scrollTo(0, 0)')
  await list.locator('[aria-posinset="1"]').getByText('A new one').waitFor()
})

test('a page about a message to 100 recipients is short', async () => {
  const phoneNumbers = Array.from({ length: 100 }, (_, count) => `+4474005${String(count).padStart(5, '0')}`)
  const id = await gateway.api.send({ phoneNumbers, textMessage: { text: 'To everybody' } })
  await go(`/messages/${id}`)
  const steps = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await expect.poll(() => steps.first().getAttribute('aria-setsize').then(Number)).toBeGreaterThan(100)
  await expect.poll(() => steps.count()).toBeLessThan(mostItems)
})

test('logs and deliveries have few elements, and an opened delivery stays open', async () => {
  await go('/logs?hours=168')
  const lines = page.getByRole('list', { name: /Log/ }).getByRole('listitem')
  await lines.nth(20).waitFor()
  await expectFewElements()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await expect.poll(() => lines.last().getAttribute('aria-setsize').then(Number)).toBeGreaterThanOrEqual(1_000)
  await expect
    .poll(() => lines.last().evaluate(({ ariaPosInSet, ariaSetSize }) => ariaPosInSet === ariaSetSize))
    .toBe(true)
  await go('/webhooks/bench-webhook')
  const log = page.getByRole('region', { name: 'Deliveries' })
  await log.getByRole('listitem').getByRole('button').first().click()
  await log.getByRole('heading', { name: 'Request' }).waitFor()
  await loadMore(log, 300)
  await expectFewElements()
  await expect.poll(() => log.getByRole('heading', { name: 'Request' }).count()).toBe(0)
  await page.evaluate('scrollTo(0, 0)')
  await log.getByRole('heading', { name: 'Request' }).waitFor()
})

test('a long list fits a narrow window from right to left', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.evaluate("localStorage.setItem('smsgw-language', 'ar')")
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(busiestNumber)}`)
  await page.getByRole('log').waitFor()
  await page.goto(`${gateway.url}/messages`)
  await page.locator('.listed-message').nth(20).waitFor()
  expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await barriersEverywhere(page)).toEqual([])
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function go(path: string): Promise<void> {
  await page.goto(gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Loads pages until the list has this number of items, with or without elements. */
async function loadMore(within: Locator, items: number): Promise<void> {
  const last = within.locator('[aria-posinset]').last()
  await last.waitFor()
  while (Number(await last.getAttribute('aria-posinset')) < items) {
    const before = await last.getAttribute('aria-posinset')
    await within.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => last.getAttribute('aria-posinset')).not.toBe(before)
  }
}

async function expectFewElements(): Promise<void> {
  await expect.poll(() => page.getByRole('listitem').count()).toBeLessThan(mostItems)
  await expect.poll(() => page.locator('*').count()).toBeLessThan(mostElements)
}

function isInView(item: Locator): Promise<boolean> {
  return item.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= (element.ownerDocument.defaultView?.innerHeight ?? 0)
  })
}
