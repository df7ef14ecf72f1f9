// Checks the forms of the console: problems beside their fields, times in the language of the console, and questions
// before something is lost.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

const number = '+447400123456'
const thread = `/conversations/${encodeURIComponent(number)}`

let gateway: Gateway
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  const id = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: 'Hello' } })
  await gateway.api.until(id, ({ state }) => state === 'Delivered')
  browser = await ConsoleBrowser.start(gateway.url)
  page = await browser.signedIn(credentialsIn(gateway.folder))
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('names a contradictory setting at its field while it is edited, and saves settings without contradictions', async () => {
  await go('/settings')
  const section = page.getByRole('region', { name: 'Sending' })
  const field = (name: string) => section.getByLabel(name, { exact: true })
  const save = section.getByRole('button', { name: 'Save' })
  await field('Minimum pause').fill('5')
  await field('Maximum pause').fill('2')
  await untilDescribed('Minimum pause', 'Minimum pause (5) is more than maximum pause (2).')
  await field('Limit period').selectOption('Per hour')
  await untilDescribed('Message limit', 'Enter the maximum number of messages, or choose “No limit” as the period.')
  expect(await barriersEverywhere(page)).toEqual([])
  await save.click()
  await expect.poll(() => section.locator(':focus').getAttribute('aria-invalid')).toBe('true')
  await field('Maximum pause').fill('9')
  await field('Message limit').fill('100')
  await expect.poll(() => section.locator('[aria-invalid="true"]').count()).toBe(0)
  await save.click()
  await save.waitFor({ state: 'detached' })
  const changed = (await gateway.api.ask('GET', '/settings')).json.messages
  expect(changed).toMatchObject({ send_interval_min: 5, send_interval_max: 9, limit_period: 'PerHour' })
  await field('Message limit').fill('2000000')
  await save.click()
  await untilDescribed('Message limit', 'Message limit must be at most 1000000.')
  expect(await section.getByRole('alert').count()).toBe(0)
  for (const name of ['Minimum pause', 'Maximum pause', 'Message limit']) await field(name).fill('')
  await field('Limit period').selectOption('No limit')
  await expect.poll(() => field('Message limit').isDisabled()).toBe(true)
  await save.click()
  await save.waitFor({ state: 'detached' })
  expect((await gateway.api.ask('GET', '/settings')).json.messages).not.toHaveProperty('send_interval_min')
})

test('the signing key is never shown, and can be set, replaced and removed', async () => {
  await go('/settings')
  const section = page.getByRole('region', { name: 'Webhooks' })
  const field = section.getByLabel('Signing key', { exact: true })
  const save = section.getByRole('button', { name: 'Save' })
  const isSet = async () => {
    const effects: { key: string; isSet?: boolean }[] = (await gateway.api.ask('GET', '/settings/effects')).json
    return effects.find(({ key }) => key === 'webhooks.signing_key')?.isSet
  }
  await section.getByText('No key is set.').waitFor()
  for (const key of ['first key', 'second key']) {
    await field.fill(key)
    const changing = page.waitForRequest((request) => request.method() === 'PATCH')
    await save.click()
    expect((await changing).postDataJSON()).toEqual({ webhooks: { signing_key: key } })
    expect((await (await changing).response())?.status()).toBe(200)
    await save.waitFor({ state: 'detached' })
    await section.getByText('A key is set.').waitFor()
    expect([await field.inputValue(), await isSet()]).toEqual(['', true])
  }
  await field.fill('typed')
  await field.fill('')
  await save.waitFor({ state: 'detached' })
  await section.getByRole('button', { name: 'Remove key' }).click()
  await section.getByText('The key is removed when you save.').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await section.getByRole('button', { name: 'Keep key' }).click()
  await save.waitFor({ state: 'detached' })
  await section.getByRole('button', { name: 'Remove key' }).click()
  await save.click()
  await section.getByText('No key is set.').waitFor()
  expect(await isSet()).toBe(false)
})

test('work hours can be edited only while they are on, and switching them on proposes times', async () => {
  await go('/settings')
  const section = page.getByRole('region', { name: 'Sending' })
  const [start, end] = [section.getByLabel('Work hours start'), section.getByLabel('Work hours end')]
  const only = section.getByLabel('Only send during work hours')
  const save = section.getByRole('button', { name: 'Save' })
  const areDisabled = async () => [await start.isDisabled(), await end.isDisabled()]
  await expect.poll(areDisabled).toEqual([true, true])
  expect(await start.getAttribute('placeholder')).toBe('Not set')
  await only.check()
  await expect.poll(areDisabled).toEqual([false, false])
  expect(await barriersEverywhere(page)).toEqual([])
  await end.fill('no time')
  await only.uncheck()
  await expect.poll(areDisabled).toEqual([true, true])
  expect(await section.locator('[aria-invalid="true"]').count()).toBe(0)
  await only.check()
  await save.click()
  await save.waitFor({ state: 'detached' })
  const stored = { work_hours_enabled: true, work_hours_start: '08:00', work_hours_end: '20:00' }
  expect((await gateway.api.ask('GET', '/settings')).json.messages).toMatchObject(stored)
  await only.uncheck()
  await save.click()
  await save.waitFor({ state: 'detached' })
  await expect.poll(areDisabled).toEqual([true, true])
  expect(await start.inputValue()).toMatch(/8:00/)
})

test('shows and reads times in the language of the console, and refuses other texts', async () => {
  const german = await browser.signedIn(credentialsIn(gateway.folder), { locale: 'en-US' })
  await german.evaluate("localStorage.setItem('smsgw-language', 'de')")
  await german.goto(gateway.url + thread)
  await german.getByLabel('Nachricht', { exact: true }).fill('Bis morgen!')
  await german.getByRole('button', { name: 'SIM, Zeitpunkt und Bericht' }).click()
  const time = german.getByLabel('Senden am', { exact: true })
  expect(await time.getAttribute('placeholder')).toBe('TT.MM.JJJJ, hh:mm')
  await time.fill('morgen')
  await german.getByLabel('Nachricht', { exact: true }).focus()
  await german.getByText('Geben Sie Datum und Uhrzeit ein, zum Beispiel 31.12.2027, 18:30.').waitFor()
  const composer = german.locator('form.composer')
  await expect.poll(() => composer.getByRole('button', { name: 'Planen' }).isDisabled()).toBe(true)
  await time.fill('1.2.2037 9:05')
  await german.getByLabel('Nachricht', { exact: true }).focus()
  await expect.poll(() => time.inputValue()).toBe('01.02.2037, 09:05')
  await german.evaluate("HTMLInputElement.prototype.showPicker = function () { this.dataset.shown = 'yes' }")
  await composer.getByRole('button', { name: 'Kalender öffnen' }).click()
  const calendar = composer.locator('input[data-shown]')
  await calendar.fill('2037-03-04T18:30', { force: true })
  await expect.poll(() => time.inputValue()).toBe('04.03.2037, 18:30')
  await time.fill('1.2.2020 9:05')
  await composer.getByRole('button', { name: 'Planen' }).click()
  await composer.getByText('Senden am: Der Zeitpunkt muss in der Zukunft liegen.').waitFor()
  expect(await composer.getByRole('alert').count()).toBe(0)
  expect(await german.getByLabel('Nachricht', { exact: true }).inputValue()).toBe('Bis morgen!')
  await german.goto(`${gateway.url}/settings`)
  await german.getByLabel('Nur während der Arbeitszeit senden').check()
  await german
    .getByRole('region', { name: 'Senden', exact: true })
    .getByLabel('Beginn der Arbeitszeit')
    .fill('9 Uhr 30')
  await german.keyboard.press('Tab')
  await expect.poll(() => german.getByLabel('Beginn der Arbeitszeit').inputValue()).toBe('09:30')
  await german.context().close()
})

test('asks before a note is deleted', async () => {
  await gateway.api.ask('POST', `/conversations/${encodeURIComponent(number)}/notes`, { text: 'Calls on Monday' })
  await go(thread)
  await page.locator('.thread-menu').click()
  await page.getByRole('menuitem', { name: 'Notes, labels and assignee' }).click()
  const dialog = page.getByRole('dialog')
  const note = dialog.getByRole('listitem').filter({ hasText: 'Calls on Monday' })
  await note.getByRole('button', { name: 'Delete note' }).click()
  await note.getByText('Delete this note? This can’t be undone.').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await note.getByRole('button', { name: 'Cancel' }).click()
  await note.getByText('Delete this note?').waitFor({ state: 'detached' })
  await note.getByRole('button', { name: 'Delete note' }).click()
  await note.getByRole('button', { name: 'Delete', exact: true }).click()
  await note.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
})

test('an inbox whose conversations are all archived or blocked links to them', async () => {
  const path = `/conversations/${encodeURIComponent(number)}`
  await gateway.api.ask('PATCH', path, { archived: true })
  await go('/conversations')
  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('heading', { name: 'The inbox is empty' }).waitFor()
  await list.getByText('All conversations are archived.').waitFor()
  expect(await page.getByText('No conversations yet').count()).toBe(0)
  expect(await barriersEverywhere(page)).toEqual([])
  await list.getByRole('link', { name: 'Show archived conversations' }).click()
  await list.getByRole('link', { name: number }).waitFor()
  await gateway.api.ask('PATCH', path, { archived: false, blocked: true })
  await go('/conversations')
  await list.getByRole('link', { name: 'Show blocked conversations' }).click()
  await list.getByRole('link', { name: number }).waitFor()
  await gateway.api.ask('PATCH', path, { blocked: false })
})

test('shows problems of a webhook and of a password beside their fields', async () => {
  await go('/webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('example.com')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('Enter a URL such as https://example.com/sms.').waitFor()
  await dialog.getByLabel('URL').fill('ftp://example.com')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.getByText('The URL must begin with https://.').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await go('/access')
  const password = page.getByRole('region', { name: 'Password' })
  await password.getByLabel('Current password', { exact: true }).fill('not the password')
  await password.getByLabel('New password', { exact: true }).fill('coffee at a quarter to five')
  await password.getByRole('button', { name: 'Change password' }).click()
  await password.getByText('The current password is wrong.').waitFor()
  await password.getByLabel('Current password', { exact: true }).fill(credentialsIn(gateway.folder).password)
  await password.getByLabel('New password', { exact: true }).fill('11112222')
  await password.getByRole('button', { name: 'Change password' }).click()
  await password.getByText('Use more than two different characters.').waitFor()
  expect(await password.getByRole('alert').count()).toBe(0)
})

test('signs out, and reports a failed sign-out', async () => {
  const other = await browser.signedIn(credentialsIn(gateway.folder))
  const signOut = async () => {
    await other.locator('.account-menu').filter({ visible: true }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  await other.route('**/session', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()))
  await signOut()
  await other.getByText(/^You are still signed in\./).waitFor()
  await other.getByRole('navigation', { name: 'Main' }).waitFor()
  await other.unrouteAll({ behavior: 'wait' })
  await signOut()
  await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await other.reload()
  await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect(await other.evaluate<number>("fetch('/3rdparty/v1/messages').then(({ status }) => status)")).toBe(401)
  await other.context().close()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function go(path: string): Promise<void> {
  await page.goto(gateway.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Waits until the description of a field, which a screen reader reads with its name, contains a text. */
async function untilDescribed(label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true })
  await expect
    .poll(() =>
      field.evaluate((element) =>
        (element.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id: string) => element.ownerDocument.getElementById(id)?.textContent ?? '')
          .join(' '),
      ),
    )
    .toContain(text)
}
