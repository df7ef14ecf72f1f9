import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere, barriersOfMenu } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const allowed = '+447400123456'
const other = '+493012345678'

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page
let key: string
let previousKey: string

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

test('refuses wrong fields of a key beside the field, and creates the key', async () => {
  await page.goto(`${gateway.url}/access`)
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByLabel('Recipients').fill('+44*\nhello')
  await dialog.getByLabel('Expires').fill('2020-01-01T00:00')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Name is required.').waitFor()
  await dialog.getByText('“hello” isn’t a number such as +447400123456 or a prefix such as +44*.').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Name' }).fill('door bell')
  await dialog.getByLabel('Recipients').fill('+44*')
  await dialog.getByLabel('Daily limit').fill('3')
  await dialog.getByRole('checkbox', { name: /every SIM/ }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Expires must be in the future.').waitFor()
  await dialog.getByLabel('Expires').fill('2037-01-01T00:00')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'New key for door bell' })
  key = await shown.getByRole('region', { name: 'API key' }).innerText()
  expect(key).toMatch(/^smsgw_live_\w{12}_\w+$/)
  expect(await barriersEverywhere(page)).toEqual([])
  await shown.getByRole('button', { name: 'Done' }).click()
})

test('lists the prefix, scopes, limits, use and expiry of a key, but not the key', async () => {
  expect(await send(key, allowed)).toBe(202)
  expect(await send(key, other)).toBe(403)
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: 'door bell' })
  await row.getByText('1 of 3 recipients today').waitFor()
  for (const part of ['Active', 'messages:send', '+44*', 'every SIM', '127.0.0.1', '2037'])
    await expect.poll(() => row.innerText()).toContain(part)
  const text = await row.innerText()
  expect(text).toContain(key.slice(0, 'smsgw_live_'.length + 13))
  expect(text).not.toContain(key)
  expect(await barriersEverywhere(page)).toEqual([])
})

test('refuses a device that was deleted meanwhile beside the field', async () => {
  const [device] = (await gateway.api.ask('GET', '/devices')).json
  await page.route('**/3rdparty/v1/devices', (route) =>
    route.fulfill({ json: [device, { ...device, id: 'deleted', name: 'Attic' }] }),
  )
  await page.goto(`${gateway.url}/access`)
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('attic')
  await dialog.getByRole('checkbox', { name: 'Attic, every SIM' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('This device no longer exists. Choose another one.').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  expect(await barriersEverywhere(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.unroute('**/3rdparty/v1/devices')
})

test('changes the name and the limits of a key', async () => {
  await act('Actions for door bell', 'Edit')
  const dialog = page.getByRole('dialog', { name: 'Edit API key' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('front door')
  expect(await dialog.getByLabel('Recipients').inputValue()).toBe('+44*')
  await dialog.getByLabel('Recipients').fill('')
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row').filter({ hasText: 'front door' }).getByText('1 of 3 recipients today').waitFor()
  const [listed] = (await gateway.api.ask('GET', '/keys')).json
  expect(listed).toMatchObject({ name: 'front door', limits: { recipientsPerDay: 3 } })
  expect(listed.limits).not.toHaveProperty('recipients')
})

test('rotates a key, and the previous key remains valid for the chosen time', async () => {
  await act('Actions for front door', 'Rotate')
  const dialog = page.getByRole('dialog', { name: 'Rotate front door?' })
  await dialog.getByLabel('The previous key remains valid for').selectOption('3600')
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  previousKey = key
  const shown = page.getByRole('dialog', { name: 'New key for front door' })
  key = await shown.getByRole('region', { name: 'API key' }).innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  expect(key).not.toBe(previousKey)
  expect([await read(key), await read(previousKey)]).toEqual([200, 200])
  await page.getByRole('row').filter({ hasText: 'front door' }).getByText('Previous key valid until').waitFor()
})

test('lists who sent each message, and a filter by key is part of the address', async () => {
  await gateway.api.send({ phoneNumbers: [allowed], textMessage: { text: 'With the password' } })
  await page.goto(`${gateway.url}/messages`)
  const list = page.getByRole('list', { name: 'Messages' })
  await list.getByText('With the password').waitFor()
  await list.getByText('front door').waitFor()
  await page.getByLabel('Sent by').selectOption('front door')
  await list.getByText('With the password').waitFor({ state: 'detached' })
  // The page shows no list while it loads the filtered messages.
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1)
  expect(await barriersEverywhere(page)).toEqual([])
  await page.reload()
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1)
  await list.getByRole('link').click()
  await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'front door' }).click()
  await list.getByRole('listitem').first().waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('sentBy')).toMatch(/^\w+$/)
})

test.each(['es', 'ar'])('axe finds no violations in the list of keys and its menu in %s', async (language) => {
  const foreign = await browser.signedIn(credentialsIn(gateway.folder))
  await foreign.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
  await foreign.goto(`${gateway.url}/access`)
  const table = foreign.getByRole('table')
  await table.waitFor()
  expect(await barriersEverywhere(foreign)).toEqual([])
  await table.getByRole('button').click()
  expect(await barriersOfMenu(foreign)).toEqual([])
  await foreign.context().close()
})

test('asks before it revokes a key, and refuses the key immediately', async () => {
  await page.goto(`${gateway.url}/access`)
  await act('Actions for front door', 'Revoke')
  const dialog = page.getByRole('dialog', { name: 'Revoke front door?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await read(key)).toBe(200)
  await act('Actions for front door', 'Revoke')
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('row').filter({ hasText: 'front door' }).getByText('Revoked').waitFor()
  expect([await read(key), await read(previousKey)]).toEqual([401, 401])
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function act(menu: string, action: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function send(bearer: string, number: string): Promise<number> {
  const body = JSON.stringify({ phoneNumbers: [number], textMessage: { text: 'Somebody is at the door' } })
  return await request(bearer, { method: 'POST', body })
}

/** Reads a message that does not exist. The answer 404 shows that the key is accepted. */
async function read(bearer: string): Promise<number> {
  const status = await request(bearer, {}, '/none')
  return status === 404 ? 200 : status
}

async function request(bearer: string, init: RequestInit, path = ''): Promise<number> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  return (await fetch(`${gateway.url}/3rdparty/v1/messages${path}`, { ...init, headers })).status
}
