// Tests the shared inbox of the console: unread messages, a search that opens the conversation at the match, archive,
// notes.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const ada = '+447400123456'
const grace = '+447400654321'

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

// Some tests make the window smaller.
beforeEach(() => page.setViewportSize({ width: 1_400, height: 900 }))

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('unread messages are counted in the list, the menu and the title until the conversation is seen', async () => {
  await page.goto(`${gateway.url}/conversations`)
  await receive(ada, 'Where is my parcel?')
  await receive(ada, 'Code 482913, see https://example.org/track?id=7.')
  const listed = list().getByRole('link', { name: ada })
  await listed.getByText('2 unread messages').waitFor()
  await menu().getByText('1 unread conversation').waitFor()
  await expect.poll(() => page.title()).toBe('(1) Conversations · smsgw')
  await listed.click()
  await message('Where is my parcel?').waitFor()
  await listed.getByText('2 unread messages').waitFor({ state: 'detached' })
  await expect.poll(() => page.title()).toBe(`${ada} · smsgw`)
  const link = message('Code').getByRole('link', { name: 'https://example.org/track?id=7' })
  await expect.poll(() => link.getAttribute('href')).toBe('https://example.org/track?id=7')
  await message('Code').getByRole('button', { name: '482913' }).waitFor()
})

test('new messages do not move a page that shows earlier ones, and a button leads to the new messages', async () => {
  for (let count = 0; count < 40; count++) await receive(grace, `Line ${count}`)
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(grace)}`)
  await message('Line 39').waitFor()
  // Waits until all these messages are read, so that only the next message is new.
  await list()
    .getByRole('link', { name: grace })
    .getByText(/unread/)
    .waitFor({ state: 'detached' })
  const scroll = page.getByRole('log', { name: 'Messages' })
  await scroll.evaluate((element) => element.scrollTo({ top: 0 }))
  const top = () => scroll.evaluate((element) => element.scrollTop)
  await receive(grace, 'The newest line')
  await page.getByRole('button', { name: '1 new message' }).waitFor()
  expect(await top()).toBeLessThan(200)
  await page.getByRole('button', { name: '1 new message' }).click()
  await page.getByRole('button', { name: '1 new message' }).waitFor({ state: 'detached' })
})

test('a search opens the conversation at the match, highlights it, and keeps the query in the address', async () => {
  for (let count = 0; count < 60; count++) await receive(grace, `Filler ${count}`)
  await page.goto(`${gateway.url}/conversations`)
  await page.getByRole('searchbox').fill('line 7')
  const found = list().getByRole('link', { name: grace })
  await found.locator('mark').waitFor()
  await expect.poll(() => found.locator('mark').innerText()).toBe('Line 7')
  await page.getByRole('searchbox').press('Enter')
  const match = page.locator('article[data-match]')
  await match.waitFor()
  await expect.poll(() => match.locator('mark').innerText()).toBe('Line 7')
  await expect.poll(() => isVisible('article[data-match]')).toBe(true)
  expect(page.url()).toContain('q=line+7')
  await page.reload()
  await expect.poll(() => isVisible('article[data-match]')).toBe(true)
  await page.getByRole('link', { name: 'Latest messages' }).click()
  await message('Filler 59').waitFor()
  await menu()
    .getByText(/unread conversation/)
    .waitFor({ state: 'detached' })
})

test('a conversation that is marked as unread stays unread, and the shortcuts mark and archive it', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(ada)}?folder=all`)
  await message('Where is my parcel?').waitFor()
  const listed = list().getByRole('link', { name: ada })
  await action('Mark as unread')
  await page.getByRole('log', { name: 'Messages' }).waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).search).toBe('?folder=all')
  await listed.getByText('1 unread message').waitFor()
  await menu().getByText('1 unread conversation').waitFor()
  await listed.click()
  await listed.getByText('1 unread message').waitFor({ state: 'detached' })
  await page.keyboard.press('u')
  await listed.getByText('1 unread message').waitFor()
  await listed.click()
  await listed.getByText('1 unread message').waitFor({ state: 'detached' })
  await page.keyboard.press('e')
  await page.locator('.badge', { hasText: 'Archived' }).waitFor()
  await page.keyboard.press('e')
  await page.locator('.badge', { hasText: 'Archived' }).waitFor({ state: 'detached' })
  await page.keyboard.press('l')
  await page.getByRole('dialog', { name: 'Notes, labels and assignee' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('an archived conversation returns with the next message, and a blocked number stays read', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(ada)}`)
  await action('Archive')
  await list().getByRole('link', { name: ada }).waitFor({ state: 'detached' })
  await page.goto(`${gateway.url}/conversations`)
  await receive(ada, 'Hello again')
  await list().getByRole('link', { name: ada }).getByText('1 unread message').waitFor()
  await list().getByRole('link', { name: ada }).click()
  await menu()
    .getByText(/unread conversation/)
    .waitFor({ state: 'detached' })
  await action('Block number')
  await page.locator('.badge', { hasText: 'Blocked' }).waitFor()
  await receive(ada, 'Spam')
  await message('Spam').waitFor()
  await expect.poll(() => page.title()).toBe(`${ada} · smsgw`)
  await action('Unblock number')
})

test('notes, labels and the assignee are kept, and their dialog is accessible', async () => {
  await action('Notes, labels and assignee')
  const dialog = page.getByRole('dialog')
  const assignee = dialog.getByRole('combobox', { name: 'Assigned to' })
  await dialog.getByLabel('New note').fill('Refund approved')
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await dialog.getByRole('listitem').filter({ hasText: 'Refund approved' }).waitFor()
  await dialog.getByRole('textbox', { name: 'New label' }).fill('Urgent')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect.poll(() => dialog.getByLabel('Urgent').isChecked()).toBe(true)
  await assignee.fill('Ada')
  await assignee.blur()
  await expect.poll(() => assignee.getAttribute('aria-expanded')).toBe('false')
  // Longer than the page needs to restore a focus that it lost. This one was taken away, as by a phone's keyboard.
  await page.waitForTimeout(500)
  expect(await page.locator(':focus').count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  // Looks beside the number, because the list and suggestions for a field may show the same name.
  const head = page.locator('.thread-head')
  await head.getByText('Ada', { exact: true }).waitFor()
  await page.reload()
  await head.getByText('Ada', { exact: true }).waitFor()
  await page.getByRole('button', { name: '1 note', exact: true }).click()
  await assignee.fill('Grace')
  // Escape closes first the list of names and then the dialog. The name is kept, and the conversation stays open.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await head.getByText('Grace', { exact: true }).waitFor()
  await head.getByText('Urgent', { exact: true }).waitFor()
  expect(page.url()).toContain(encodeURIComponent(ada))
  expect(await barriersEverywhere(page)).toEqual([])
})

test('the list shows the labels of a conversation, and a filter by label is part of the address', async () => {
  await page.goto(`${gateway.url}/conversations`)
  await list().getByRole('link', { name: ada }).getByText('Urgent').waitFor()
  await list().getByLabel('Label', { exact: true }).selectOption('Urgent')
  await list().getByRole('link', { name: grace }).waitFor({ state: 'detached' })
  await page.reload()
  await list().getByRole('link', { name: ada }).waitFor()
  await expect.poll(() => list().getByRole('listitem').count()).toBe(1)
  await list().getByRole('link', { name: ada }).click()
  await page.getByRole('log', { name: 'Messages' }).waitFor()
  expect(new URL(page.url()).searchParams.get('label')).toBeTruthy()
  await expect.poll(() => list().getByRole('listitem').count()).toBe(1)
  expect(await barriersEverywhere(page)).toEqual([])
})

test('the list shows why the last message waits, and labels that were changed elsewhere appear without a reload', async () => {
  await page.goto(`${gateway.url}/conversations`)
  const scheduleAt = '2037-01-01T12:00:00Z'
  const id = await gateway.api.send({ phoneNumbers: [grace], textMessage: { text: 'Happy new year' }, scheduleAt })
  await list()
    .getByRole('link', { name: grace })
    .getByText(/^Scheduled for Jan 1, 2037/)
    .waitFor()
  const label = (await gateway.api.ask('POST', '/labels', { name: 'Family' })).json.id
  await gateway.api.ask('PATCH', `/conversations/${encodeURIComponent(grace)}`, { addLabels: [label] })
  await list().getByRole('link', { name: grace }).getByText('Family').waitFor()
  await gateway.api.ask('DELETE', `/messages/${id}`)
})

test('a message of which one recipient failed is listed as partly failed, also by the filter for failed messages', async () => {
  await gateway.api.send({ phoneNumbers: [ada, '+12025550116'], textMessage: { text: 'To both' } })
  await page.goto(`${gateway.url}/messages?state=Failed`)
  const listed = page.getByRole('listitem').filter({ hasText: 'To both' })
  await listed.getByText('1 of 2 failed').waitFor()
})

for (const width of [390, 820, 1440])
  test(`the inbox fits a window of ${width} pixels`, async () => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${gateway.url}/conversations/${encodeURIComponent(grace)}`)
    await page.getByRole('log', { name: 'Messages' }).waitFor()
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await expect.poll(overflow).toBeLessThanOrEqual(0)
  })

test('on a phone the number stays on one line beside a long assignee, and nothing is cut off', async () => {
  const assignee = 'Grace Brewster Hopper of the second shift'
  expect((await gateway.api.ask('PATCH', `/conversations/${encodeURIComponent(ada)}`, { assignee })).status).toBe(200)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(ada)}`)
  await page.locator('.thread-head').getByText(assignee).waitFor()
  const heading = page.getByRole('heading', { level: 1 })
  const lines = () =>
    heading.evaluate((element) => {
      const range = element.ownerDocument.createRange()
      range.selectNodeContents(element)
      return range.getClientRects().length
    })
  await expect.poll(lines).toBe(1)
  for (const name of ['Conversation actions', 'Send']) {
    const rightEdge = async () => {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox()
      return (box?.x ?? 0) + (box?.width ?? 0)
    }
    await expect.poll(rightEdge).toBeLessThanOrEqual(360)
  }
})

const menu = () => page.getByRole('navigation', { name: 'Main', exact: true })
const list = () => page.getByRole('region', { name: 'Conversations' })
/**
 * Finds a message of the conversation, which the virtual phone also shows. Searches only the text, because the text and
 * the time together could match another message: "Line 3" with the time "9:30" would match "Line 39".
 */
const message = (text: string) =>
  page
    .getByRole('log', { name: 'Messages' })
    .getByRole('article')
    .filter({ has: page.getByRole('paragraph').filter({ hasText: text }) })

test('the command palette runs the actions of the conversation and of the account', async () => {
  const joan = '+447400777002'
  await receive(joan, 'Hello from Joan')
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(joan)}`)
  await message('Hello from Joan').waitFor()
  const blocked = page.locator('.badge', { hasText: 'Blocked' })
  await chooseCommand('block number')
  await blocked.waitFor()
  await chooseCommand('unblock')
  await blocked.waitFor({ state: 'detached' })
  await chooseCommand('dark')
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await chooseCommand('light')
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  await page.keyboard.press('Control+k')
  expect(await page.getByRole('option', { checked: true }).allInnerTexts()).toEqual(['Light', 'English'])
  expect(await page.getByRole('option', { name: 'Deutsch' }).getAttribute('lang')).toBe('de')
  await page.getByRole('dialog').getByRole('combobox').press('ArrowUp')
  const last = page.getByRole('option', { name: 'Sign out' })
  expect(await last.getAttribute('aria-selected')).toBe('true')
  await expect.poll(() => isVisible('[aria-selected="true"]', page.locator('#command-list'))).toBe(true)
  await page.keyboard.press('Escape')
})

test('the command palette waits for the state of the conversation, and closes when another page is shown', async () => {
  const [first, second] = ['+447400777003', '+447400777004']
  await receive(first, 'Hello from Jane')
  await receive(second, 'Hello from June')
  // Reads the messages first, because the answer to a read mark contains the details.
  for (const number of [second, first]) {
    await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}?folder=all`)
    await message('Hello from J').waitFor()
    const listed = list().getByRole('link', { name: number })
    await listed.waitFor()
    await listed.getByText(/unread/).waitFor({ state: 'detached' })
  }
  let answer: () => void = () => undefined
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let requests = 0
  await page.route('**/details', async (route) => {
    requests += 1
    // The first request gets no answer, as from a gateway that is being restarted.
    if (requests === 1) return route.abort()
    await isAnswered
    await route.continue()
  })
  await list().getByRole('link', { name: second }).click()
  await message('Hello from June').waitFor()
  const option = (name: string) => page.getByRole('dialog').getByRole('option', { name })
  const openPalette = async () => {
    await page.keyboard.press('Control+k')
    await option('Mark as unread').waitFor()
  }
  const closePalette = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await openPalette()
  expect(await option('Block number').count()).toBe(0)
  expect(await option('Archive').count()).toBe(0)
  await closePalette()
  answer()
  await page.unrouteAll({ behavior: 'wait' })
  await expect
    .poll(async () => {
      await openPalette()
      const count = await option('Block number').count()
      if (count === 0) await closePalette()
      return count
    })
    .toBe(1)
  await page.goBack()
  await message('Hello from Jane').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a long word stays within the window while it is written', async () => {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(ada)}?folder=all`)
  const composer = page.getByLabel('Message', { exact: true })
  const widthOf = async () => (await composer.boundingBox())?.width
  const before = await widthOf()
  await composer.fill('x'.repeat(40_000))
  await page.getByText('262 parts').waitFor()
  await page.getByRole('button', { name: 'Send', exact: true, disabled: true }).waitFor()
  expect(await widthOf()).toBe(before)
  await composer.fill('')
})

test('a search marks a code, and a click copies the code, also without HTTPS', async () => {
  const plain = await page.context().newPage()
  // The browser has no clipboard API on a page that was loaded over HTTP from another machine.
  await plain.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
  await receive('+447400777001', 'Your code is 493 201.')
  const [{ match }] = await eventually(
    async () => (await gateway.api.ask('GET', '/conversations?q=493+201')).json,
    (found) => found.length > 0,
  )
  await plain.goto(`${gateway.url}/conversations/${encodeURIComponent('+447400777001')}?q=493+201&at=${match.id}`)
  const code = plain.getByRole('button', { name: '493 201' })
  await expect.poll(() => code.locator('mark').allInnerTexts()).toEqual(['493 201'])
  await code.click()
  await plain.getByTitle('Copied').waitFor()
  await plain.close()
  await page.context().grantPermissions(['clipboard-read'])
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('493201')
})

test('sends to a short code, and replies to it', async () => {
  const sent = (text: string) => page.getByRole('article', { name: 'You' }).filter({ hasText: text }).last()
  await page.goto(`${gateway.url}/compose`)
  await page.getByLabel('To', { exact: true }).fill('72727')
  for (const text of ['START', 'STOP']) {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.getByLabel('Message', { exact: true }).press('Enter')
    await sent(text).getByText('Delivered', { exact: true }).waitFor()
  }
})

async function receive(from: string, text: string): Promise<void> {
  expect((await gateway.api.ask('POST', '/virtual-phone', { from, text })).status).toBe(202)
}

async function action(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Conversation actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** Returns true if an element is inside the visible part of the conversation. */
async function isVisible(selector: string, list = page.getByRole('log', { name: 'Messages' })): Promise<boolean> {
  const [element, frame] = await Promise.all([page.locator(selector).boundingBox(), list.boundingBox()])
  if (element === null || frame === null) return false
  return element.y >= frame.y && element.y + element.height <= frame.y + frame.height
}

async function chooseCommand(search: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('dialog').getByRole('combobox')
  await field.fill(search)
  await field.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
