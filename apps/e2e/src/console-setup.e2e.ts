// The setup of the console, from the first sign-in without a device to the reply of the user's phone.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { barriersHalved, barriersOfLanguage } from './house/browser/barriers.ts'
import { ConsoleBrowser } from './house/browser/console-browser.ts'
import { House } from './house/house.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess } from './house/machine/process.ts'

const PHONE = '+447400123456'
const PIN = '4321'
const MISSING = '/dev/no-such-modem'

let house: House
let browser: ConsoleBrowser
let page: Page

beforeAll(async () => {
  house = await House.start({ modems: [{ number: '+447700900123', pin: PIN }], startsAgent: false })
  browser = await ConsoleBrowser.start(house.relayUrl)
  page = await browser.signedIn(house.user)
})

afterAll(async () => {
  await browser?.stop()
  await house?.stop()
})

const step = () => page.locator('[aria-current="step"]')

test('opens at the first sign-in without a modem, and pairs the computer', async () => {
  await page.getByRole('heading', { name: 'Set up a modem' }).waitFor()
  const command = await step().getByRole('region', { name: 'command', exact: true }).innerText()
  const [, url = '', code = ''] = /pair (\S+) (\w{10})$/.exec(command) ?? []
  const settings = { DATA_DIR: join(house.folder, 'agent'), DEVICE_NAME: 'office-pi' }
  expect(await new HouseProcess('agent pair', mainScripts.agent, ['pair', url, code], settings).ended()).toBe(0)
  await house.startAgent({ MODEMS: MISSING }, false)
  await step().getByText('Plug a modem with a SIM into office-pi').waitFor()
})

test('without a modem, shows the findings of the agent, reports an offline agent, and continues with a modem', async () => {
  await step().getByText(`${MISSING} wasn’t found.`).waitFor()
  await house.emulator.instruct('set-coverage', { to: 'modem0', stat: 2 })
  // Restarts the agent, because a running agent reports a modem that it finds only some time later.
  await house.agent?.stop()
  await step().getByText('office-pi is offline').waitFor()
  await house.startAgent({}, false)
  await step().getByLabel('PIN of the SIM').waitFor()
})

test('shows the PIN attempts left before and after a wrong PIN, in the language of the console', async () => {
  await step().getByText('3 attempts left').waitFor()
  await inLanguage('de')
  await page.getByLabel('PIN der SIM').fill('9999')
  await page.getByRole('button', { name: 'Entsperren' }).click()
  await step().getByText('Die SIM hat die PIN abgelehnt.').waitFor()
  await expect.poll(() => step().getByText('Noch 3 Versuche').count()).toBe(0)
  await inLanguage('ar')
  await page.locator('[aria-current="step"] input[pattern]').waitFor()
  expect(await barriersOfLanguage(page)).toEqual([])
  await inLanguage('en')
  await step().getByText('2 attempts left').waitFor()
  await step().getByLabel('PIN of the SIM').fill(PIN)
  await page.keyboard.press('Enter')
})

test('without a network, shows what to check, and continues when there is a network', async () => {
  await step().getByText('The SIM is searching for a network.').waitFor()
  await step().getByText('check the antenna and the coverage').waitFor()
  await house.emulator.instruct('set-coverage', { to: 'modem0', stat: 1 })
  await step().getByLabel('Your phone number').waitFor()
})

test('refuses a wrong number beside its field, sends the test, and ends with the reply, also after a reload', async () => {
  await step().getByLabel('Your phone number').fill('hello')
  await page.keyboard.press('Enter')
  await step().getByText('isn’t a valid phone number').waitFor()
  await step().getByLabel('Your phone number').fill(PHONE)
  await page.keyboard.press('Enter')
  await step().getByText('The test message was sent').waitFor()
  await page.reload()
  await step().getByText('The test message was sent').waitFor()
  await eventually(
    () => house.emulator.ledger(),
    (ledger) => ledger.some(({ destination }) => destination === PHONE),
  )
  await house.emulator.instruct('send-text', { from: PHONE, to: 'modem0', text: 'It works' })
  await step().locator('q').getByText('It works').waitFor()
  await step().getByRole('status').filter({ hasText: 'sends and receives' }).waitFor()
  expect(await barriersHalved(page)).toEqual([])
})

test('the setup page is offered once, and can be opened under Devices later', async () => {
  await page.goto(house.relayUrl)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${house.relayUrl}/devices`)
  await page.getByRole('link', { name: 'Set up a modem' }).click()
  await step().getByRole('heading', { name: 'Test message' }).waitFor()
})

test('the pages have no errors in the background', () => {
  expect(browser.complaints).toEqual([])
})

async function inLanguage(language: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('smsgw-language', '${language}')`)
  await page.reload()
}
