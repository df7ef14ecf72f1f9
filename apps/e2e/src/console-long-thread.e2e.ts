// Tests a conversation with thousands of messages in the console. Only messages near the visible part have elements.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { untilStill } from './house/browser/until-still.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { openDatabase } from './house/open-database.ts'

const number = '+447400555555'
const messages = 2_100

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  const database = await openDatabase(gateway.folder)
  const { rows } = await database.query('SELECT id, account_id FROM devices WHERE deleted_at IS NULL LIMIT 1')
  await database.query(
    `INSERT INTO inbox (account_id, device_id, id, type, sender, created_at, text)
     SELECT $1, $2, 'long-' || n, 'SMS', $3, now() - ($4 - n) * interval '3 minutes', 'Line ' || n || ' of the conversation'
     FROM generate_series(1, $4::int) n`,
    [rows[0].account_id, rows[0].id, number, messages],
  )
  await database.query('UPDATE inbox SET is_unread = false')
  await database.end()
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('keeps elements of nearby messages only, from the newest to the oldest and back', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}`)
  await line(messages).waitFor()
  await scrollUntil(1)
  expect(await page.locator('.thread-page').count()).toBe(messages / 50)
  await expect.poll(() => thread().getByRole('article').count()).toBeLessThan(300)
  await expect.poll(() => page.locator('*').count()).toBeLessThan(6_000)
  await thread().evaluate((log) => log.scrollTo({ top: log.scrollHeight }))
  await line(messages).waitFor()
  await line(1).waitFor({ state: 'detached' })
})

test('keeps its position when earlier messages are added and when elements are added again', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}`)
  await line(messages).waitFor()
  await scrollUntil(messages - 400)
  for (let step = 0; step < 20; step++) {
    const before = await firstVisible()
    await thread().evaluate((log) => log.scrollBy({ top: 300 }))
    const after = await offsetOf(before.text)
    expect(Math.abs(after - (before.top - 300))).toBeLessThan(3)
    const later = await untilStill(() => offsetOf(before.text))
    expect(Math.abs(later - after)).toBeLessThan(3)
  }
})

test('opens in the middle at a match, which stays visible while messages around it are loaded', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}?q=line+1000&at=long-1000`)
  const match = page.locator('article[data-match]')
  await match.getByText('Line 1000 of the conversation').waitFor()
  await untilStill(() => match.evaluate((element) => element.getBoundingClientRect().top))
  await expect.poll(isVisible).toBe(true)
  async function isVisible(): Promise<boolean> {
    return await match.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      const log = element.closest('[role="log"]')?.getBoundingClientRect()
      return log !== undefined && top >= log.top && bottom <= log.bottom
    })
  }
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

function thread() {
  return page.getByRole('log', { name: 'Messages' })
}

function line(count: number) {
  return thread().getByText(`Line ${count} of the conversation`, { exact: true })
}

/** Scrolls up like a person with a wheel. */
async function scrollUntil(count: number): Promise<void> {
  await thread().hover()
  while ((await line(count).count()) === 0) {
    await page.mouse.wheel(0, -4_000)
    await page.waitForTimeout(50)
  }
}

/** Returns the first message whose top is visible, and its distance from the top of the list. */
async function firstVisible(): Promise<{ text: string; top: number }> {
  return await thread().evaluate((log) => {
    const edge = log.getBoundingClientRect().top + 350
    const found = [...log.querySelectorAll('.bubble-body')].find((body) => body.getBoundingClientRect().top >= edge)
    return { text: found?.textContent ?? '', top: (found?.getBoundingClientRect().top ?? 0) - edge }
  })
}

async function offsetOf(text: string): Promise<number> {
  return await thread().evaluate((log, wanted) => {
    const edge = log.getBoundingClientRect().top + 350
    const found = [...log.querySelectorAll('.bubble-body')].find((body) => body.textContent === wanted)
    return (found?.getBoundingClientRect().top ?? Number.NaN) - edge
  }, text)
}
