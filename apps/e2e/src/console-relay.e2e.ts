import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriersEverywhere } from './house/browser/barriers.ts'
import { ConsoleBrowser, signIn } from './house/browser/console-browser.ts'
import { House } from './house/house.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess } from './house/machine/process.ts'

let house: House
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  house = await House.start()
  browser = await ConsoleBrowser.start(house.relayUrl)
  page = await browser.signedIn(house.user)
})

afterAll(async () => {
  await browser?.stop()
  await house?.stop()
})

test('a relay has no virtual phone and no built-in device', async () => {
  await page.goto(`${house.relayUrl}/devices`)
  await listed('Online').waitFor()
  expect(await page.getByRole('complementary', { name: 'Virtual phone' }).count()).toBe(0)
})

test('shows the fingerprint of the encryption key that the agent prints', async () => {
  const status = new HouseProcess('status', mainScripts.agent, ['status'], { DATA_DIR: join(house.folder, 'agent') })
  expect(await status.ended()).toBe(0)
  const [printed = 'none'] = /(?:[0-9A-F]{4}:){15}[0-9A-F]{4}/.exec(status.lines.join('\n')) ?? []
  const [device] = (await house.api.ask('GET', '/devices')).json
  await page.goto(`${house.relayUrl}/devices/${device.id}`)
  const key = page.getByRole('region', { name: 'Encryption key' })
  await key.getByText(printed, { exact: true }).waitFor()
  await key.getByText('smsgw agent status').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await page.goto(`${house.relayUrl}/devices`)
  await listed('Online').waitFor()
})

test('pairs a second device with the shown code, as a command and as a QR code, and confirms it', async () => {
  await page.getByRole('button', { name: 'Pair a device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pair a device' })
  await dialog.getByRole('img', { name: 'QR code of the command' }).waitFor()
  const command = await dialog.getByRole('region', { name: 'command', exact: true }).innerText()
  const [, url, code] = /^sudo smsgw agent pair (\S+) (\w{10})$/.exec(command) ?? []
  expect(url).toBe(house.relayUrl.replace('http', 'ws'))
  expect(await barriersEverywhere(page)).toEqual([])
  const agent = new HouseProcess('agent pair', mainScripts.agent, ['pair', url ?? '', code ?? ''], {
    DATA_DIR: join(house.folder, 'second-agent'),
    DEVICE_NAME: 'The second box',
  })
  expect(await agent.ended()).toBe(0)
  await dialog.getByRole('status').getByText('is paired').waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('link', { name: 'Show device' }).click()
  await page.getByRole('heading', { level: 1, name: 'The second box' }).waitFor()
  await page.getByRole('main').getByText('Offline', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Remove device' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove device' }).click()
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
  await listed('Online').waitFor()
})

test('shows a message and its sender name as plain text, with any content', async () => {
  const senders = ['100% OFF', 'new', 'a%2Fb?c#d', '<b>x</b>']
  const said = '<img src=x onerror="document.title=1"><script>document.title=2</script> مرحبا'
  for (const from of senders)
    await house.emulator.instruct('send-text', { from, to: 'modem0', text: `${said} ${from}` })
  await page.goto(`${house.relayUrl}/conversations`)
  const list = page.getByRole('region', { name: 'Conversations' })
  for (const from of senders) {
    await list.getByRole('link').filter({ hasText: from }).first().click()
    await page.getByRole('heading', { level: 1, name: from, exact: true }).waitFor()
    const text = page.getByRole('article').last().getByRole('paragraph').first()
    await expect.poll(() => text.innerText()).toBe(`${said} ${from}`)
    await page.getByRole('main').getByText('You can’t reply to it').waitFor()
    await page.reload()
    await page
      .getByRole('article')
      .filter({ hasText: `${said} ${from}` })
      .waitFor()
  }
  expect(await page.title()).toContain('smsgw')
})

test('shows the subject of an MMS notice, and explains where its content is', async () => {
  const number = '+447400900033'
  const notice = { transactionId: 'T1', subject: 'Birthday photo', contentLocation: 'http://mms.example/1' }
  await house.emulator.instruct('send-mms', { from: number, to: 'modem0', ...notice })
  await page.goto(`${house.relayUrl}/conversations`)
  await page.getByRole('region', { name: 'Conversations' }).getByRole('link', { name: number }).click()
  const notices = page.getByRole('article').filter({ hasText: 'Only phones can download the content' })
  await notices.getByText('Birthday photo', { exact: true }).waitFor()
})

test('creates a token with scopes and a lifetime, shows it once, lists and revokes it', async () => {
  await page.goto(`${house.relayUrl}/access`)
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Lifetime').selectOption('43200')
  await dialog.getByLabel('List messages with their phone numbers').check()
  expect(await barriersEverywhere(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create' }).click()
  const token = await dialog.getByRole('region', { name: 'access token' }).innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'messages:list' })
  await row.getByText('messages:send').waitFor()
  // Selects the column, because the refresh token, which is valid longer, has its own column.
  const hoursLeft = async (column: string) => {
    const time = row.locator(`[data-name="${column}"] time`)
    return Math.round((Date.parse((await time.getAttribute('datetime')) ?? '') - Date.now()) / 3_600_000)
  }
  expect(await hoursLeft('Expires')).toBe(12)
  expect(await hoursLeft('Refreshable until')).toBeGreaterThan(12)
  expect(await statusOf(token)).toBe(200)
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await statusOf(token)).toBe(401)
})

test('shows that the relay is offline, reconnects automatically and shows the changes, even on pages that were not open', async () => {
  await page.goto(`${house.relayUrl}/conversations`)
  const state = page.getByRole('navigation', { name: 'Main' })
  await state.getByText('Disconnected').waitFor({ state: 'detached' })
  await house.relay.stop()
  await state.getByText('Disconnected').waitFor()
  await page.getByRole('alert').getByText('isn’t responding').first().waitFor()
  expect(await barriersEverywhere(page)).toEqual([])
  await house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: 'While you were away' })
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
  expect(await page.getByRole('heading', { name: 'Something went wrong' }).count()).toBe(0)
  await house.restartRelay()
  await page.getByRole('region', { name: 'Sending' }).waitFor()
  // Matches the beginning, because the link also contains the number of unread conversations.
  await state.getByRole('link', { name: /^Conversations/ }).click()
  await page.getByRole('region', { name: 'Conversations' }).getByText('While you were away').waitFor()
  await state.getByText('Disconnected').waitFor({ state: 'detached' })
  // Several parts of the page may show the error.
  await expect.poll(() => page.getByText('isn’t responding').count()).toBe(0)
})

test('a late answer to the former user does not reach the next user of the browser', async () => {
  const add = new HouseProcess('accounts', mainScripts.relay, ['accounts', 'add', 'ada', '--generate'], {
    DATA_DIR: join(house.folder, 'relay'),
    ...house.secrets,
  })
  expect(await add.ended()).toBe(0)
  const [, password = ''] = /^password: (\S+)$/m.exec(add.lines.join('\n')) ?? []
  const former = await browser.signedIn(house.user)
  await former.getByRole('link', { name: 'Settings', exact: true }).click()
  const pause = former.getByRole('region', { name: 'Sending' }).getByLabel('Maximum pause')
  await pause.fill('4711')
  const late = Promise.withResolvers<void>()
  const isChange = (request: Request) => request.method() === 'PATCH'
  await former.route('**/3rdparty/v1/settings', async (route) => {
    if (!isChange(route.request())) return route.continue()
    const response = await route.fetch()
    await late.promise
    await route.fulfill({ response })
  })
  await Promise.all([
    former.waitForRequest(isChange),
    former.getByRole('region', { name: 'Sending' }).getByRole('button', { name: 'Save' }).click(),
  ])
  const aborted = former.waitForEvent('requestfailed', isChange)
  const other = await former.context().newPage()
  await other.goto(house.relayUrl)
  await other.getByRole('button', { name: house.user.username, exact: true }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await signIn(other, { username: 'ada', password })
  await former.getByRole('button', { name: 'ada', exact: true }).waitFor()
  await aborted
  late.resolve()
  await pause.waitFor()
  expect(await pause.inputValue()).toBe('')
  await former.context().close()
})

test('resumes the event stream after a restart of the relay, starting with the missed events', async () => {
  const stream = await eventStream()
  const id = await stream.read(/^id: (\S+)$/m)
  await house.relay.stop()
  await house.restartRelay()
  const message = await house.api.send({ phoneNumbers: ['+447400900002'], textMessage: { text: 'Missed' } })
  await house.api.until(message, ({ state }) => state !== 'Pending', 150_000)
  const resumed = await eventStream({ 'last-event-id': id })
  expect(await resumed.read(/^event: message\.created\ndata: {"id":"([^"]+)"}$/m)).toBe(message)
  expect(resumed.text()).not.toContain('reset')
  resumed.close()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function eventStream(more: Readonly<Record<string, string>> = {}) {
  const { username, password } = house.user
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const leaving = new AbortController()
  const response = await fetch(`${house.relayUrl}/3rdparty/v1/events`, {
    headers: { authorization, ...more },
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    text: () => text,
    close: () => leaving.abort(),
    /** Resolves with the first match as soon as it appears. */
    async read(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(text)?.[1]
        if (found !== undefined) return found
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`the stream ended: ${text}`)
        text += value
      }
    },
  }
}

/** Finds the state of the only listed device. The menu shows the state of the connection in similar words. */
const listed = (state: string) => page.getByRole('main').getByRole('listitem').getByText(state, { exact: true })

async function statusOf(token: string): Promise<number> {
  const url = `${house.relayUrl}/3rdparty/v1/messages`
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
}
