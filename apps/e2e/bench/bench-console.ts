// Measures the console with a hundred thousand messages in a real browser: the time until each page shows its content,
// how long its requests take, the longest time in which it does not react, and its size.
import { parseArgs } from 'node:util'
import { ConsoleBrowser } from '../src/house/browser/console-browser.ts'
import { busiestNumber, fillHistory } from '../src/house/fill-history.ts'
import { credentialsIn, Gateway } from '../src/house/gateway.ts'
import { openDatabase } from '../src/house/open-database.ts'
import { Watch } from './console/watch.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '100000' }, numbers: { type: 'string', default: '4000' } },
})
const history = { messages: Number(values.messages), numbers: Number(values.numbers) }
const gateway = await Gateway.start()
await gateway.untilReady()
const database = await openDatabase(gateway.folder)
await fillHistory(database, history)
await database.end()
const browser = await ConsoleBrowser.start(gateway.url, { needsWhole: true })
const page = await browser.signedIn(credentialsIn(gateway.folder))
const watch = await Watch.of(page)
const thread = `/conversations/${encodeURIComponent(busiestNumber)}`

process.stdout.write(`${history.messages} messages sent, ${history.messages * 0.4} received\n`)
watch.head()
await opened('overview, last hour', '/', () => page.getByRole('figure').first().waitFor())
for (const period of ['Day', 'Week'])
  await watch.step(`overview, last ${period.toLowerCase()}`, async () => {
    await page.getByText(period, { exact: true }).click()
    await page
      .getByRole('figure', { name: new RegExp(`last ${period}`, 'i') })
      .first()
      .waitFor()
  })
await opened('conversations', '/conversations', () => page.locator('.listed-conversation').nth(40).waitFor())
await watch.step('  fifty more', async () => {
  await page.getByRole('button', { name: 'Load more' }).click()
  await page.locator('.listed-conversation').nth(90).waitFor()
})
for (const [what, search] of [
  ['a number', '00001234'],
  ['a text of one message', 'no. 91234'],
  ['a text of every message', 'order'],
  ['a text of no message', 'xylophone'],
] as const)
  await watch.step(`  search: ${what}`, async () => {
    const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get('q') === search)
    await page.getByRole('searchbox').fill(search)
    await (await answered).finished()
  })
await opened('conversation with 7000 messages', thread, () => page.getByRole('article').nth(40).waitFor())
for (const messages of [100, 1_000, 5_000])
  await watch.step(`  scrolled up to ${messages} messages`, () => scrolledUpTo(messages))
await watch.step('  a new message arrives', async () => {
  await gateway.api.ask('POST', '/virtual-phone', { from: busiestNumber, text: 'And now?' })
  await page.getByRole('article').filter({ hasText: 'And now?' }).waitFor()
})
await watch.step('  a word is typed', async () => {
  await page.getByLabel('Message', { exact: true }).pressSequentially('Hello')
})
await opened('messages', '/messages', () => page.locator('.listed-message').nth(40).waitFor())
await watch.step('  failed messages', async () => {
  await page.getByLabel('Status').selectOption('Failed')
  await page.locator('.listed-message-error').nth(40).waitFor()
})
await opened('message with its timeline', '/messages/bench-11', () => page.locator('.timeline-step').nth(4).waitFor())
await opened('devices', '/devices', () => page.getByText('Online', { exact: true }).first().waitFor())
await watch.step('a device', async () => {
  await page.getByRole('listitem').getByRole('link').first().click()
  await page.getByRole('figure', { name: /Signal/ }).waitFor()
})
await opened('webhooks', '/webhooks', () => page.locator('.health-strip rect').nth(39).waitFor())
await opened('deliveries of a webhook', '/webhooks/bench-webhook', () =>
  page.locator('.delivery-log li').nth(40).waitFor(),
)
await watch.step('  failed deliveries', async () => {
  await page.getByLabel('Status').selectOption('failed')
  await page.locator('.delivery-log').getByText('9 attempts').nth(40).waitFor()
})
await opened('logs of a day', '/logs', () =>
  page.getByRole('list', { name: /Log/ }).getByRole('listitem').nth(100).waitFor(),
)
await opened('settings', '/settings', () => page.getByRole('region', { name: 'Sending' }).waitFor())

await browser.stop()
await gateway.stop()

async function opened(name: string, path: string, isThere: () => Promise<void>): Promise<void> {
  await watch.step(name, async () => {
    await page.goto(gateway.url + path, { waitUntil: 'commit' })
    await isThere()
  })
}

async function scrolledUpTo(messages: number): Promise<void> {
  await page.getByRole('log', { name: 'Messages' }).hover()
  for (;;) {
    // Waits until a page has loaded fifty messages, even if the list has removed some of its elements.
    const loaded = (await page.locator('.thread-page').count()) * 50
    if (loaded >= messages) return
    await page.mouse.wheel(0, -3_000)
    await page.waitForTimeout(50)
  }
}
