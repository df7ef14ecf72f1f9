import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { consoleTexts } from './house/browser/console-dialogs.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const number = '+447400123456'
const text = consoleTexts('en')

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

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

test('shows a new conversation at once: the message becomes Delivered, and the virtual phone replies', async () => {
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Get a SIM ready' })
    .and(page.locator('[data-done="true"]'))
    .waitFor()
  await page.getByRole('link', { name: 'Write a message' }).click()
  await page.getByLabel('To', { exact: true }).fill('+44 7400 123456')
  await page.getByLabel('Message', { exact: true }).fill('Is there anybody?')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await outgoing('Is there anybody?').getByText('Delivered', { exact: true }).waitFor()
  const phone = page.getByRole('complementary', { name: 'Virtual phone' })
  await phone.getByText('Is there anybody?').waitFor()
  await phone.getByLabel('Reply to the gateway').fill('Yes, me')
  await phone.getByRole('button', { name: 'Send reply' }).click()
  await thread().getByRole('article', { name: number }).filter({ hasText: 'Yes, me' }).waitFor()
})

test('the virtual phone lists the test numbers with links to their conversations', async () => {
  const phone = page.getByRole('complementary', { name: 'Virtual phone' })
  await phone.getByText('Test numbers', { exact: true }).click()
  await phone.getByRole('link', { name: '+12025550116' }).click()
  await page.getByRole('heading', { level: 1, name: '+12025550116' }).waitFor()
  await page.getByLabel('Message', { exact: true }).fill('This one fails')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  const failed = outgoing('This one fails')
  await failed.getByText('Failed', { exact: true }).waitFor()
  await phone.getByText('Test numbers', { exact: true }).click()
})

test('a message to a number that does not exist offers to correct the number, not to send it again', async () => {
  await send('+12025550110', 'Wrong number')
  const failed = outgoing('Wrong number')
  await failed.getByText('Failed', { exact: true }).waitFor()
  await expect.poll(() => failed.getByRole('button').allInnerTexts()).toEqual(['Edit number'])
  await failed.getByRole('button', { name: 'Edit number' }).click()
  await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe('+12025550110')
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Wrong number')
  await page.getByLabel('Message', { exact: true }).fill('')
})

test('a message that the network rejects is edited, and one that expired is sent again', async () => {
  await send('+12025550111', 'Rejected')
  await outgoing('Rejected').getByRole('button', { name: 'Edit message' }).click()
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Rejected')
  await page.getByLabel('Message', { exact: true }).fill('')
  await send('+12025550117', 'Expired')
  await outgoing('Expired').getByText('The message expired before it could be delivered.').waitFor()
  await outgoing('Expired').getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => thread().getByText('Expired', { exact: true }).count()).toBe(2)
})

test.each([
  ['+12025550110', 'CMS 1', 'Refused by the network'],
  ['+12025550111', 'CMS 21', 'Refused by the network'],
  ['+12025550116', 'TP-ST 0x43', 'Delivery report'],
  ['+12025550117', 'TP-ST 0x46', 'Delivery report'],
])('the page of a message to %s tells the failure once and shows its code once', async (to, code, step) => {
  const id = await gateway.api.send({ phoneNumbers: [to], textMessage: { text: 'Once' } })
  await gateway.api.until(id, ({ state }) => state === 'Failed')
  const { cause } = (await gateway.api.ask('GET', `/messages/${id}`)).json.recipients[0]
  await page.goto(`${gateway.url}/messages/${id}`)
  const sentence = page.getByRole('main').getByText(text(`cause.${cause}`))
  await sentence.first().waitFor()
  const steps = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await steps.getByText('Failed', { exact: true }).waitFor()
  await steps.filter({ hasText: step }).getByText(code, { exact: true }).waitFor()
  expect(await sentence.count()).toBe(1)
  expect(await page.getByRole('main').getByText(code).count()).toBe(1)
  expect(await page.locator('.timeline-advice').count()).toBe(0)
  await open(to)
  const failed = outgoing('Once').last()
  await failed.getByText(code, { exact: true }).waitFor()
  expect(await failed.getByText(text(`cause.${cause}`)).count()).toBe(1)
  expect(await failed.getByText(code).count()).toBe(1)
})

test('the list of first steps marks the message as done', async () => {
  await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
  await page.locator('[data-done="true"]').filter({ hasText: 'Send your first message' }).waitFor()
})

test('the composer shows parts and encoding, names the character that forces UCS-2, and offers a replacement', async () => {
  await open(number)
  const composer = page.getByLabel('Message', { exact: true })
  const meter = page.locator('#composer-meter')
  await composer.fill('a'.repeat(161))
  await expect.poll(() => meter.innerText()).toMatch(/GSM-7\s+2 parts\s+145 left/)
  await composer.fill('“Ready”')
  await expect.poll(() => meter.innerText()).toContain('“ (U+201C)')
  await expect.poll(() => meter.innerText()).toMatch(/UCS-2\s+1 part\s+63 left/)
  await meter.getByRole('button', { name: 'Use plain characters' }).click()
  await expect.poll(() => composer.inputValue()).toBe('"Ready"')
  await composer.fill('')
})

test('offers SIM, time and delivery report; a scheduled message shows its time', async () => {
  await open(number)
  await page.getByRole('button', { name: 'SIM, schedule and report' }).click()
  await page.getByLabel('SIM', { exact: true }).selectOption({ index: 1 })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('Send at').fill(`${tomorrow}T09:30`)
  await page.getByLabel('Delivery report').uncheck()
  await page.getByLabel('Message', { exact: true }).fill('For tomorrow')
  await page.getByRole('button', { name: 'Schedule', exact: true }).click()
  await outgoing('For tomorrow')
    .getByText(/^Scheduled for /)
    .waitFor()
})

test('the timeline shows each step with its reference and separates future times, and the message can be cancelled', async () => {
  await open(number)
  await outgoing('For tomorrow').getByRole('link').click()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  const next = timeline.getByRole('region', { name: 'Next' })
  await expect.poll(() => momentsIn(next)).toEqual(['ahead', 'ahead'])
  await expect.poll(() => momentsIn(timeline.getByRole('list').first())).toEqual(['past'])
  await page.getByRole('button', { name: 'Cancel message' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click()
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText('Cancelled', { exact: true }).first().waitFor()
  await open(number)
  await outgoing('Is there anybody?').getByRole('link', { name: 'Delivered' }).click()
  const steps = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await steps
    .getByText(/Reference \d+/)
    .first()
    .waitFor()
  await steps.getByText('Delivery report: received by the recipient’s phone').first().waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
})

test('finds a number or a text, moves between conversations by keys, and lists the keys with ?', async () => {
  await gateway.api.send({ phoneNumbers: ['+447400654321'], textMessage: { text: 'The needle' } })
  await page.goto(`${gateway.url}/conversations`)
  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('link', { name: '+447400654321' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('needle')
  await list.getByRole('link', { name: number }).waitFor({ state: 'detached' })
  await list.getByRole('link', { name: '+447400654321' }).waitFor()
  await page.keyboard.type(' and thread')
  await list.getByText('No results').waitFor()
  expect(await list.getByText('No conversations yet').count()).toBe(0)
  await page.keyboard.press('Escape')
  await list.getByRole('link', { name: number }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await thread().getByRole('article').first().waitFor()
  await page.keyboard.press('r')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('composer')
  await page.keyboard.type('By keys alone')
  await page.keyboard.press('Enter')
  await outgoing('By keys alone').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next conversation').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('refuses an invalid number with a clear error and keeps the draft', async () => {
  await page.goto(`${gateway.url}/compose`)
  await page.getByLabel('To', { exact: true }).fill('12')
  await page.getByLabel('Message', { exact: true }).fill('Kept')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('main').getByText('“12” is too short for a phone number.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true')
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Kept')
  await page.reload()
  await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('Kept')
  await page.getByLabel('Message', { exact: true }).fill('')
})

test('a column pasted from a spreadsheet becomes a list of numbers', async () => {
  await page.goto(`${gateway.url}/compose`)
  const to = page.getByLabel('To', { exact: true })
  await to.focus()
  await page.evaluate(`
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', '+447400111001\\r\\n+447400111002\\r\\n')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  `)
  await expect.poll(() => to.inputValue()).toBe('+447400111001, +447400111002')
  await page.getByLabel('Message', { exact: true }).fill('To a column')
  await page.getByLabel('Message', { exact: true }).press('Enter')
  await outgoing('To a column').getByText('One of 2 recipients').waitFor()
})

test('keeps text and cursor of a new draft while a message is sent; a message that could not be sent returns to the draft', async () => {
  await open(number)
  const composer = page.getByLabel('Message', { exact: true })
  const hold = Promise.withResolvers<void>()
  await page.route('**/3rdparty/v1/messages?allowShortCodes=*', async (route) => {
    await hold.promise
    await route.continue()
  })
  await composer.fill('On its way')
  await composer.press('Enter')
  await composer.pressSequentially('The next one')
  await page.keyboard.press('Escape')
  hold.resolve()
  await outgoing('On its way').getByText('Delivered', { exact: true }).waitFor()
  expect(await composer.inputValue()).toBe('The next one')
  expect(await page.evaluate('document.activeElement.id')).not.toBe('composer')
  await page.unroute('**/3rdparty/v1/messages?allowShortCodes=*')
  await page.route('**/3rdparty/v1/messages?allowShortCodes=*', (route) =>
    route.fulfill({ status: 400, body: '{"message":"not now"}' }),
  )
  await composer.press('Enter')
  await problem().getByText('not now').waitFor()
  await expect.poll(() => composer.inputValue()).toBe('The next one')
  await page.unroute('**/3rdparty/v1/messages?allowShortCodes=*')
  await composer.fill('')
  await problem().waitFor({ state: 'detached' })
})

test('does not send a message twice when its answer is lost and Enter is pressed again', async () => {
  await open(number)
  const composer = page.getByLabel('Message', { exact: true })
  let asked = 0
  await page.route('**/3rdparty/v1/messages?allowShortCodes=*', async (route) => {
    asked += 1
    if (asked > 1) return await route.continue()
    expect((await route.fetch()).status()).toBe(202)
    await route.abort()
  })
  await composer.fill('Not twice')
  await composer.press('Enter')
  await problem().getByText('isn’t responding').waitFor()
  await composer.press('Enter')
  await problem().waitFor({ state: 'detached' })
  await outgoing('Not twice').getByText('Delivered', { exact: true }).waitFor()
  expect(asked).toBe(2)
  const { json } = await gateway.api.ask('GET', '/messages?limit=100&includeContent=true')
  const sent = json.filter(({ textMessage }: { textMessage?: { text: string } }) => textMessage?.text === 'Not twice')
  expect(sent).toHaveLength(1)
  await page.unroute('**/3rdparty/v1/messages?allowShortCodes=*')
})

test('loads a long conversation while scrolling up; after an error it shows a message and stops loading', async () => {
  const talker = '+447400777777'
  for (let count = 0; count < 120; count += 1)
    await gateway.api.ask('POST', '/virtual-phone', { from: talker, text: `Number ${count} of many` })
  await eventually(
    async () => (await gateway.api.ask('GET', '/inbox?limit=500')).json,
    (items: readonly { text: string }[]) => items.some(({ text }) => text === 'Number 119 of many'),
  )
  let isBroken = true
  let asked = 0
  await page.route('**/conversations/*cursor=*', async (route) => {
    asked += 1
    await (isBroken ? route.fulfill({ status: 400, body: '{"message":"not today"}' }) : route.continue())
  })
  await open(talker)
  await thread().getByText('Number 119 of many').waitFor()
  await thread().hover()
  await wheelUpUntil(thread().getByRole('alert').getByText('not today'))
  // A new message below the visible part must not change the position.
  await gateway.api.ask('POST', '/virtual-phone', { from: talker, text: 'Number 120 of many' })
  await thread().getByText('Number 120 of many').waitFor({ state: 'attached' })
  await page.waitForTimeout(1_000)
  expect(asked).toBe(1)
  isBroken = false
  await thread().getByRole('button', { name: 'Earlier messages' }).click()
  await thread().getByText('Number 60 of many').waitFor({ state: 'attached' })
  await wheelUpUntil(thread().getByText('Number 0 of many'))
  await thread().getByText('Number 120 of many').waitFor({ state: 'detached' })
  expect(await thread().getByRole('article').count()).toBeLessThan(121)
  await thread().evaluate((log) => log.scrollTo({ top: log.scrollHeight }))
  await thread().getByText('Number 120 of many').waitFor()
  await page.unroute('**/conversations/*cursor=*')
})

test('shows messages that arrive between the loading of the page and the start of its stream', async () => {
  const talker = '+447400888888'
  await gateway.api.ask('POST', '/virtual-phone', { from: talker, text: 'Before it is opened' })
  const hold = Promise.withResolvers<void>()
  await page.route('**/3rdparty/v1/events*', async (route) => {
    await hold.promise
    await route.continue()
  })
  await open(talker)
  await thread().getByText('Before it is opened').waitFor()
  await gateway.api.ask('POST', '/virtual-phone', { from: talker, text: 'While nobody listens' })
  await eventually(
    async () => (await gateway.api.ask('GET', '/inbox?limit=100')).json,
    (items: readonly { text: string }[]) => items.some(({ text }) => text === 'While nobody listens'),
  )
  hold.resolve()
  await thread().getByText('While nobody listens').waitFor()
  await page.unroute('**/3rdparty/v1/events*')
})

test('lists messages by state and time, with links to their timelines', async () => {
  await page.goto(`${gateway.url}/messages`)
  const list = page.getByRole('list', { name: 'Messages' })
  await list.getByText('Is there anybody?').waitFor()
  await page.getByLabel('Status').selectOption('Cancelled')
  await list.getByText('Is there anybody?').waitFor({ state: 'detached' })
  await list.getByText('For tomorrow').waitFor()
  await page.getByLabel('From').fill('2035-01-01T00:00')
  await page.getByRole('main').getByText('No results').waitFor()
  await page.goBack()
  await page.goto(`${gateway.url}/messages?state=Cancelled`)
  await list.getByText('For tomorrow').waitFor()
  await page.getByLabel('Status').selectOption('')
  await list.getByText('Is there anybody?').waitFor()
  await gateway.api.send({ phoneNumbers: [number], textMessage: { text: 'Listed at once' } })
  await list.getByText('Listed at once').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await list.getByRole('link').filter({ hasText: 'Is there anybody?' }).click()
  await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').nth(3).waitFor()
})

test('axe finds no violations in conversations, in light and dark colours and on a phone', async () => {
  await open(number)
  expect(await barriersEverywhere(page)).toEqual([])
  await page.getByRole('button', { name: 'SIM, schedule and report' }).click()
  expect(await barriersEverywhere(page)).toEqual([])
  await page.goto(`${gateway.url}/conversations`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

function thread() {
  return page.getByRole('log', { name: 'Messages' })
}

/**
 * Finds the text that explains why a message was not sent. The page also has an alert about the connection, which is
 * usually empty.
 */
function problem() {
  return page.locator('.composer').getByRole('alert')
}

/** Returns, for each time in a part of the page, whether it is in the past or in the future. */
async function momentsIn(part: Locator): Promise<string[]> {
  await part.locator('time').first().waitFor()
  const times = await part.locator('time').evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
  return times.map((time) => (Date.parse(time) > Date.now() ? 'ahead' : 'past'))
}

async function send(to: string, text: string): Promise<void> {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(to)}`)
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByLabel('Message', { exact: true }).press('Enter')
}

function outgoing(text: string) {
  return thread().getByRole('article', { name: 'You' }).filter({ hasText: text }).last()
}

/** Scrolls up repeatedly, because the thread keeps its position while it adds or measures messages. */
async function wheelUpUntil(wanted: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -100_000)
      return await wanted.count()
    })
    .toBeGreaterThan(0)
}

async function open(whom: string): Promise<void> {
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(whom)}`)
  await thread().getByRole('article').first().waitFor()
}
