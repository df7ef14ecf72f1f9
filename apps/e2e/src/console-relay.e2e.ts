import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersOn } from './house/barriers.ts'
import { ConsoleBrowser } from './house/console-browser.ts'
import { House } from './house/house.ts'

let house: House
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  house = await House.start()
  browser = await ConsoleBrowser.start(house.relayUrl)
  page = await browser.signedIn(house.user)
}, 180_000)

afterAll(async () => {
  await browser?.stop()
  await house?.stop()
})

test('a relay has no virtual phone, and its devices are elsewhere', async () => {
  await page.goto(`${house.relayUrl}/devices`)
  await page.getByText('connected', { exact: true }).waitFor()
  expect(await page.getByRole('complementary', { name: 'Virtual phone' }).count()).toBe(0)
})

test('pairing shows a code, the command for it and its picture', async () => {
  await page.getByRole('button', { name: 'Pair a device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pair a device' })
  await dialog.getByRole('img', { name: 'QR code of the command' }).waitFor()
  const command = await dialog.getByRole('region', { name: 'command' }).innerText()
  expect(command).toMatch(new RegExp(`^smsgw-agent pair ${house.relayUrl.replace('http', 'ws')} \\w{10}$`))
  expect(await barriersOn(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('a token is made with scopes and a lifetime, shown once, listed, used and revoked', async () => {
  await page.goto(`${house.relayUrl}/access`)
  await page.getByRole('button', { name: 'Create a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Lifetime').selectOption('43200')
  await dialog.getByLabel('List messages and their numbers').check()
  expect(await barriersOn(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create' }).click()
  const token = await dialog.getByRole('region', { name: 'access token' }).innerText()
  await dialog.getByRole('button', { name: 'I have them' }).click()
  const row = page.getByRole('row').filter({ hasText: 'messages:list' })
  await row.getByText('messages:send').waitFor()
  expect(await statusOf(token)).toBe(200)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await statusOf(token)).toBe(401)
})

test('nothing failed in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function statusOf(token: string): Promise<number> {
  const url = `${house.relayUrl}/3rdparty/v1/messages`
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
}
