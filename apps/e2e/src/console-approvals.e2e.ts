import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const [one, other, third] = ['+447400123456', '+447400123457', '+447400123458']

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page
let key: string

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

test('creates a key that needs approval, and refuses to give it a scope that avoids the approval', async () => {
  await page.goto(`${gateway.url}/access`)
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('assistant')
  await dialog.getByRole('checkbox', { name: 'Require approval' }).check()
  const devices = dialog.locator('label').filter({ hasText: /^Approve or reject messages/ })
  await devices.click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('can’t have the scope messages:approve').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await devices.click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'New key for assistant' })
  key = await shown.getByRole('region', { name: 'API key' }).innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').filter({ hasText: 'assistant' }).getByText('Needs approval').waitFor()
})

test('shows a held message at once, and sends it when it is approved', async () => {
  await page.goto(`${gateway.url}/approvals`)
  await page.getByRole('heading', { name: 'Nothing to approve' }).waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  const first = await send({ phoneNumbers: [one], textMessage: { text: 'Shall I\nbook a table?' } })
  await send({ phoneNumbers: [other, third], textMessage: { text: 'To two people' }, priority: 127 })
  const list = page.getByRole('list', { name: 'Messages waiting for approval' })
  await list.getByText('Shall I').waitFor()
  await list.getByText('To two people').waitFor()
  const item = list.getByRole('listitem').filter({ hasText: one })
  const text = await item.innerText()
  for (const part of ['assistant', 'Expires']) expect(text).toContain(part)
  await page.getByRole('navigation', { name: 'Main' }).getByText('2 messages waiting for approval').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])

  await page.getByRole('button', { name: `Approve message to ${one}` }).click()
  await item.waitFor({ state: 'detached' })
  await gateway.api.until(first, ({ state }) => state === 'Delivered')
  await page.goto(`${gateway.url}/messages/${first}`)
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('held for approval until').waitFor()
  await timeline.getByText('approved by sms').waitFor()
})

test('rejects a message on its own page, which shows who rejected it', async () => {
  const [{ id }] = (await gateway.api.ask('GET', '/messages?approval=pending')).json
  await page.goto(`${gateway.url}/messages/${id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('Waiting for approval.').first().waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await page.getByRole('button', { name: `Reject message to ${other}` }).click()
  await details.getByText('Rejected by sms', { exact: true }).waitFor()
  await details.getByText('Rejected by a person.').first().waitFor()
  expect(await gateway.api.message(id)).toMatchObject({ state: 'Failed' })
  expect(await barriersEverywhere(page)).toEqual([])
})

test('a decision is refused after a decision in another window, with the name of the user who decided', async () => {
  const id = await send({ phoneNumbers: [one], textMessage: { text: 'Twice' } })
  await page.goto(`${gateway.url}/approvals`)
  const list = page.getByRole('list', { name: 'Messages waiting for approval' })
  await list.getByText('Twice').waitFor()
  // Prevents this browser window from reading the list again.
  await page.route('**/messages?approval=*', (route) => route.abort())
  expect((await gateway.api.ask('POST', `/messages/${id}/refuse`)).status).toBe(200)
  await page.getByRole('button', { name: `Approve message to ${one}` }).click()
  await list.getByText('sms has already rejected this message.').waitFor()
  await page.unroute('**/messages?approval=*')
})

test('lists 300 messages page by page, counts all of them, and keeps the focus after a decision', async () => {
  for (let sent = 0; sent < 300; sent += 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        send({ phoneNumbers: [one], textMessage: { text: `Offer ${sent + at}.` } }),
      ),
    )
  await page.goto(`${gateway.url}/approvals`)
  await page.getByRole('navigation', { name: 'Main' }).getByText('300 messages waiting for approval').waitFor()
  const list = page.getByRole('list', { name: 'Messages waiting for approval' })
  const items = list.getByRole('listitem')
  await items.first().waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  const lastOnPage = async () => {
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    return await items.last().getAttribute('aria-posinset')
  }
  for (const loaded of [200, 300]) {
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(lastOnPage).toBe(String(loaded))
  }
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' })
  const last = await items.last().locator('.held-message-text').innerText()
  await items.last().getByRole('button', { name: 'Approve' }).focus()
  await page.keyboard.press('Enter')
  // The phone screen shows the same text as soon as the message is sent.
  await list.getByText(last, { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('navigation', { name: 'Main' }).getByText('299 messages waiting for approval').waitFor()
  await expect.poll(() => items.last().evaluate(isFocused)).toBe(true)

  await page.evaluate('scrollTo(0, 0)')
  const first = page.locator('[aria-posinset="1"]')
  await first.getByRole('button', { name: 'Reject' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('navigation', { name: 'Main' }).getByText('298 messages waiting for approval').waitFor()
  await expect.poll(() => first.evaluate(isFocused)).toBe(true)
  // Presses the key once more, which must decide nothing.
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await expect.poll(() => first.getByRole('button', { name: 'Approve' }).evaluate(isFocused)).toBe(true)
})

test('a count that is not exact is read as the least possible number', async () => {
  await page.route('**/3rdparty/v1/messages?approval=pending*', async (route) => {
    const response = await route.fetch()
    const headers = { ...response.headers(), 'x-total-count': '50000', 'x-total-count-exact': 'false' }
    await route.fulfill({ response, headers })
  })
  await page.reload()
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByText('At least 50,000 messages waiting for approval').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function send(message: object): Promise<string> {
  const { status, json } = await gateway.api.ask('POST', '/messages', message, { authorization: `Bearer ${key}` })
  expect(status).toBe(202)
  return json.id
}

function isFocused(element: { readonly ownerDocument: { readonly activeElement: unknown } }): boolean {
  return element.ownerDocument.activeElement === element
}
