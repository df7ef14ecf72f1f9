import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser, signIn } from './house/browser/console-browser.ts'
import { untilGone, untilStill } from './house/browser/until-still.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { Receiver } from './house/peers/receiver.ts'

let gateway: Gateway
let receiver: Receiver
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start({ WEBHOOK_ALLOW_HTTP: '1' })
  await gateway.untilReady()
  receiver = await Receiver.start()
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await receiver?.stop()
  await gateway?.stop()
})

test('the snippet of the API page sends a message in a shell', async () => {
  await go('/developers')
  const snippet = await page.getByRole('region', { name: 'curl snippet' }).innerText()
  expect(snippet).toContain(gateway.url)
  const { password } = credentialsIn(gateway.folder)
  const answer = execFileSync('bash', ['-c', snippet], {
    env: { ...process.env, SMSGW_PASSWORD: password },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await gateway.api.until(JSON.parse(answer.toString()).id, ({ state }) => state === 'Delivered')
  await page.getByRole('main').getByText('JavaScript', { exact: true }).click()
  expect(await page.getByRole('region', { name: 'JavaScript snippet' }).innerText()).toContain(gateway.url)
})

test('the overview counts sent messages and shows them for an hour, a day and a week', async () => {
  await go('/')
  const panel = page.getByRole('region', { name: 'Messages' })
  for (const period of ['Hour', 'Day', 'Week']) {
    await panel.getByText(period, { exact: true }).click()
    await panel.getByRole('figure', { name: new RegExp(`last ${period}: 1 sent, 1 delivered`, 'i') }).waitFor()
  }
  await page.getByRole('region', { name: 'Time to send' }).getByRole('figure').waitFor()
})

test('a device shows its modem with signal, network and memory, and the results of diagnostics', async () => {
  await go('/devices')
  await page.getByRole('listitem').getByRole('link').click()
  const modem = page.getByRole('region', { name: 'SIM 1' })
  await modem.getByText('Ready', { exact: true }).waitFor()
  await eventually(
    () => modem.innerText(),
    (text) => /Network\s+Virtual Mobile/.test(text) && /Message storage\s+\d+ of \d+/.test(text),
  )
  await page
    .getByRole('region', { name: 'History' })
    .getByRole('figure', { name: /Signal between/ })
    .waitFor()
  await page.getByRole('button', { name: 'Run diagnostics' }).click()
  const findings = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
  await findings.nth(2).waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
})

test('the setup shows that the modem is virtual, and ends when the virtual phone has replied', async () => {
  await page.goto(`${gateway.url}/setup`)
  await page.getByRole('main').getByText('This modem is virtual').waitFor()
  const number = await page.getByLabel('Your phone number').inputValue()
  await page.getByRole('button', { name: 'Send test message' }).click()
  await page.getByRole('main').getByText('The test message was sent').waitFor()
  await gateway.api.ask('POST', '/virtual-phone', { from: number, text: 'Hello from the phone' })
  await page.locator('q').getByText('Hello from the phone').waitFor()
  await page.getByRole('status').filter({ hasText: 'sends and receives' }).waitFor()
  await page.goto(`${gateway.url}/devices`)
  await page.getByRole('list').getByRole('link').first().click()
})

test('shows the reply to a USSD code', async () => {
  const panel = page.getByRole('region', { name: 'USSD' })
  await panel.getByLabel('Code').fill('*100#')
  await panel.getByRole('button', { name: 'Send' }).click()
  await panel.getByRole('log').getByText('Your balance is').waitFor()
})

test('names a device and its SIM, and restarts its modem', async () => {
  const before = await page.getByRole('heading', { level: 1 }).innerText()
  const rename = async (name: string, simName: string) => {
    await page.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Device name').fill(name)
    await dialog.getByLabel('Name of SIM 1').fill(simName)
    expect(await barriersEverywhere(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  await rename('Office', 'Support line')
  await page.getByRole('region', { name: /Support line/ }).waitFor()
  await rename(before, '')
  const modem = page.getByRole('region', { name: 'SIM 1' })
  await modem.getByText('Ready', { exact: true }).waitFor()
  const hasRestarted = untilGone(modem, 'Ready')
  await modem.getByRole('button', { name: 'Restart modem' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restart modem' }).click()
  await page.getByText('Modem is restarting').waitFor()
  await hasRestarted
  await modem.getByText('Ready', { exact: true }).waitFor()
})

test('registers a webhook, shows its secret once, and shows the result of a test', async () => {
  await go('/webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByLabel('URL').fill('ftp://example.com')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('url')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  expect(await dialog.getByRole('region', { name: 'secret' }).innerText()).toMatch(/^whsec_/)
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await receiver.until(({ payload }) => payload['messageId'] === 'test')
  const delivery = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem')
  await delivery.getByText('Delivered', { exact: true }).waitFor()
})

test('the delivery log shows request and response, has filters, and redelivers one delivery or a range', async () => {
  const log = page.getByRole('region', { name: 'Deliveries' })
  await log.getByRole('listitem').getByRole('button').first().click()
  await log.getByRole('region', { name: 'Attempt 1' }).getByText('HTTP 200').waitFor()
  const request = await log.getByRole('region', { name: 'request' }).innerText()
  expect(request).toContain(`POST ${receiver.url}\ncontent-type: application/json`)
  expect(JSON.parse(request.slice(request.indexOf('\n\n')))).toEqual(receiver.requests[0])
  expect(await barriersEverywhere(page)).toEqual([])
  await log.getByRole('button', { name: 'Resend', exact: true }).click()
  await eventually(
    () => receiver.requests.length,
    (count) => count === 2,
  )
  await log.getByLabel('Status').selectOption('failed')
  await log.getByText('No results').waitFor()
  await log.getByLabel('Status').selectOption('')
  await log.getByLabel('From').fill('2020-01-01T00:00')
  await log.getByLabel('Until').fill('2037-01-01T00:00')
  await log.getByRole('button', { name: 'Resend period' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resend period' }).click()
  await eventually(
    () => receiver.requests.length,
    (count) => count === 3,
  )
})

test('registers a webhook in the format of Twilio, which has no other events, and shows the Account SID', async () => {
  await go('/webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(`${receiver.url}/twilio`)
  await dialog.getByRole('checkbox', { name: 'device started' }).check()
  await dialog.getByLabel('Format').selectOption('Twilio')
  await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(5)
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('X-Twilio-Signature').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const listed = page.getByRole('listitem').filter({ hasText: '/twilio' })
  await expect.poll(() => listed.innerText()).toContain('sms:received · Twilio')
  await listed.getByRole('link').click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(5)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Of Twilio')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Of Twilio' }).waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete webhook' }).click()
  await go('/developers')
  const accountSid = page.getByRole('main').getByText(/^AC[0-9a-f]{32}$/)
  await accountSid.waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await go('/webhooks')
  await page.getByRole('link', { name: receiver.url }).click()
})

test('changes the name and the events of a webhook, pauses it, and resumes it', async () => {
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Support desk')
  await dialog.getByRole('checkbox', { name: 'message failed' }).check()
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Support desk' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('main').getByText('Deliveries wait until you resume it').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  const [webhook] = (await gateway.api.ask('GET', '/webhooks')).json
  expect(webhook).toMatchObject({ name: 'Support desk', events: ['sms:received', 'sms:failed'] })
  expect(webhook.pausedAt).toBeTruthy()
  await page.getByRole('region', { name: 'Deliveries' }).getByText('message received').first().waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('main').getByText('Deliveries wait until you resume it').waitFor({ state: 'detached' })
})

test('shows log entries live', async () => {
  const logs = await browser.signedIn(credentialsIn(gateway.folder))
  await logs.goto(`${gateway.url}/logs`)
  await logs.getByRole('list', { name: /Log/ }).waitFor()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  expect(await page.getByRole('dialog').getByRole('region', { name: 'secret' }).innerText()).toMatch(/^whsec_/)
  const rotated = logs.getByRole('list', { name: /Log/ }).getByText('webhook secret rotated')
  await rotated.first().waitFor()
  expect(await barriersEverywhere(logs)).toEqual([])
  await logs.getByLabel('Level').selectOption('ERROR')
  await expect.poll(() => rotated.count()).toBe(0)
  await logs.context().close()
})

test('keeps the focus when a button is disabled during its request, and when it is removed', async () => {
  await go('/access')
  const focused = page.locator(':focus')
  await page.getByRole('button', { name: 'Create API key' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('focus')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New key for focus' }).waitFor()
  await expect.poll(() => focused.count()).toBe(1)
  await expect.poll(() => focused.evaluate((element) => element.closest('[role="dialog"]') !== null)).toBe(true)
  await page.keyboard.press('Escape')

  await go('/settings')
  const section = page.getByRole('region', { name: 'Sending' })
  await section.getByLabel('Maximum pause').fill('7')
  const save = section.getByRole('button', { name: 'Save' })
  // Answers slower than usual, so that the button is disabled for a while.
  await page.route('**/settings', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await save.focus()
  await page.keyboard.press('Enter')
  await save.waitFor({ state: 'detached' })
  // Waits for a second request that the handler is still delaying.
  await page.unrouteAll({ behavior: 'wait' })
  await expect.poll(() => focused.count()).toBe(1)
  await page.keyboard.press('Tab')
  await expect
    .poll(() => focused.evaluate((element) => element.closest('section')?.getAttribute('aria-label')))
    .toBe('Sending')
  await section.getByLabel('Maximum pause').fill('')
  await section.getByLabel('Maximum pause').press('Enter')
  await save.waitFor({ state: 'detached' })

  await go('/')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Page, action or phone number' }).fill('devices')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
  await expect.poll(() => focused.getAttribute('id')).toBe('content')
})

test('the command palette opens a page by its name and a conversation by its number, and searches', async () => {
  await go('/')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Page, action or phone number' })
  await field.fill('webh')
  expect(await barriersEverywhere(page)).toEqual([])
  await field.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('+44 7400 123456')
  await field.press('Enter')
  await page.getByRole('heading', { level: 1, name: '+447400123456' }).waitFor()
  await page.keyboard.press('Control+k')
  await field.fill('hello from the')
  await field.press('Enter')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('hello from the')
  await page.getByRole('region', { name: 'Conversations' }).locator('mark').first().waitFor()
})

test('keeps unsaved settings while other pages are shown, and asks before a reload', async () => {
  await go('/settings')
  const pause = page.getByRole('region', { name: 'Sending' }).getByLabel('Maximum pause')
  await pause.fill('7')
  await page.getByRole('link', { name: 'Logs', exact: true }).first().click()
  await page.getByLabel('Level').selectOption('ERROR')
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  await expect.poll(() => pause.inputValue()).toBe('7')
  const asked = page.waitForEvent('dialog')
  void page.reload().catch(() => undefined)
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  expect(await pause.inputValue()).toBe('7')
  await page.getByRole('button', { name: 'Discard' }).click()
})

test('filters of the log, the deliveries and the overview are part of the address', async () => {
  await go('/logs?level=ERROR&search=port')
  await expect.poll(() => page.getByLabel('Level').inputValue()).toBe('ERROR')
  await expect.poll(() => page.getByLabel('Contains').inputValue()).toBe('port')
  await page.getByLabel('Level').selectOption('WARN')
  await page.reload()
  await expect.poll(() => page.getByLabel('Level').inputValue()).toBe('WARN')
  await go('/')
  await page.getByRole('region', { name: 'Messages' }).getByText('Week', { exact: true }).click()
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
  await page.goBack()
  await page.getByRole('figure', { name: /^Last week/ }).waitFor()
})

test('Back returns to the position in a list, even in pages that were loaded later, and a link opens a page at its top', async () => {
  const scheduleAt = '2037-01-01T00:00:00Z'
  for (let count = 0; count < 70; count++)
    await gateway.api.send({ phoneNumbers: ['+447400555555'], textMessage: { text: `Plan ${count}` }, scheduleAt })
  // Makes the window so small that every page is higher than the window.
  await page.setViewportSize({ width: 1400, height: 400 })
  // Loads the page once before the test. A page that was never loaded is short until its content arrives, so the window
  // would scroll to the top.
  await go('/settings')
  await page.getByRole('region', { name: 'Sending' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await page.getByLabel('Status').selectOption('Pending')
  const items = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  await page.getByRole('button', { name: 'Load more' }).click()
  const size = () => items.first().getAttribute('aria-setsize')
  await expect.poll(size).toBe('70')
  const link = items.filter({ hasText: 'Plan 8' }).last().getByRole('link')
  await link.scrollIntoViewIfNeeded()
  const place = await untilStill(() => page.evaluate<number>('scrollY'))
  expect(place).toBeGreaterThan(1_000)
  await link.click()
  await page.getByRole('heading', { level: 1, name: 'Message', exact: true }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate<number>('scrollY')).toBe(place)
  await expect.poll(size).toBe('70')
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  await page.setViewportSize({ width: 1400, height: 900 })
})

test('a page whose program cannot be loaded shows what to do', async () => {
  const alone = await browser.page()
  await alone.route('**/*.js', (route) => route.abort())
  await alone.goto(gateway.url)
  await alone.getByText('The console has not loaded.').waitFor()
  await expect.poll(() => alone.getByRole('main').isVisible()).toBe(true)
  expect(await barriersEverywhere(alone)).toEqual([])
  await alone.context().close()
})

test('after a password change, sign-in needs the new password', async () => {
  const { username, password } = credentialsIn(gateway.folder)
  await go('/access')
  await page.getByLabel('Current password', { exact: true }).fill(password)
  await page.getByLabel('New password', { exact: true }).fill('coffee at a quarter to five')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(page, { username, password: 'coffee at a quarter to five' })
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function go(path: string): Promise<void> {
  await page.goto(gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
