import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConsoleBrowser, signIn } from './house/browser/console-browser.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'

let gateway: Gateway
let browser: ConsoleBrowser

beforeAll(async () => {
  gateway = await Gateway.start()
  browser = await ConsoleBrowser.start(gateway.url)
})

afterAll(async () => {
  await browser?.stop()
  await gateway?.stop()
})

test('a user can sign in while the program is still loading', async () => {
  const { page, release } = await withoutProgram()
  const { username, password } = credentialsIn(gateway.folder)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Loading' }).waitFor()
  release()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(browser.complaints).toEqual([])
  await page.context().close()
})

test('a click signs in even if the program finishes loading during the click', async () => {
  const { page, release } = await withoutProgram()
  const { username, password } = credentialsIn(gateway.folder)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).hover()
  await page.mouse.down()
  release()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.mouse.up()
  await page.context().close()
})

test('text that was typed before the program has loaded is kept, and the field keeps the focus', async () => {
  const { page, release } = await withoutProgram({ locale: 'de-DE', colorScheme: 'dark' })
  expect(await page.evaluate('document.documentElement.lang')).toBe('de')
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
  await page.getByLabel('Benutzername').fill('sms')
  await page.getByLabel('Passwort', { exact: true }).fill('half a pass')
  release()
  await page.getByRole('button', { name: 'Passwort anzeigen' }).waitFor()
  await page.keyboard.type('word')
  expect(await page.getByLabel('Benutzername').inputValue()).toBe('sms')
  expect(await page.getByLabel('Passwort', { exact: true }).inputValue()).toBe('half a password')
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
  await page.context().close()
})

test('a program that cannot be loaded is reported, and the form is removed', async () => {
  const { page, fail } = await withoutProgram()
  fail()
  await page.getByText('The console has not loaded').waitFor()
  expect(await page.getByLabel('Username').count()).toBe(0)
  await page.context().close()
})

test('a style sheet that cannot be loaded is reported, and the form is removed', async () => {
  const page = await browser.page()
  const held = await hold(page, /\/assets\/main-.*\.css$/)
  await page.goto(gateway.url, { waitUntil: 'commit' })
  await page.locator('input[name=username]').waitFor()
  held.fail()
  await page.getByText('The console has not loaded').waitFor()
  expect(await page.getByLabel('Username').count()).toBe(0)
  await page.context().close()
})

test('the form is not shown after loading the program has failed', async () => {
  const page = await browser.page()
  const session = await hold(page, SESSION)
  const program = await hold(page, PROGRAM)
  await page.goto(gateway.url, { waitUntil: 'commit' })
  program.fail()
  await page.getByText('The console has not loaded').waitFor()
  const answered = page.waitForResponse(SESSION)
  session.release()
  await answered
  // Makes another request. When the page has its answer, the page has processed the earlier answer, too.
  await page.evaluate("fetch('/3rdparty/v1/session').then(({ status }) => status)")
  expect(await page.getByLabel('Username').count()).toBe(0)
  await page.context().close()
})

test('the program starts while the session is still unknown', async () => {
  const page = await browser.page()
  const session = await hold(page, SESSION)
  await page.goto(gateway.url, { waitUntil: 'commit' })
  await page.getByText('The gateway isn’t responding').waitFor()
  session.release()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.context().close()
})

test('a signed-in user never sees the form', async () => {
  const { page, release } = await withoutProgram()
  release()
  await signIn(page, credentialsIn(gateway.folder))
  const held = await holdProgram(page)
  // The answer may come before the page has loaded.
  await Promise.all([page.waitForResponse(SESSION), page.reload()])
  expect(await page.getByLabel('Username').count()).toBe(0)
  held.release()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.context().close()
})

const PROGRAM = /\/assets\/main-.*\.js$/
const SESSION = /\/3rdparty\/v1\/session$/

type Page = Awaited<ReturnType<ConsoleBrowser['page']>>
type BrowserOptions = Parameters<ConsoleBrowser['page']>[0]

/** Opens the sign-in page. Its program is not loaded until the test allows it. */
async function withoutProgram(options: BrowserOptions = {}) {
  const page = await browser.page(options)
  const held = await holdProgram(page)
  await page.goto(gateway.url, { waitUntil: 'commit' })
  await page.locator('input[name=username]').waitFor()
  return { page, ...held }
}

function holdProgram(page: Page) {
  return hold(page, PROGRAM)
}

/** Delays the answers to these requests until the test releases them. */
async function hold(page: Page, url: RegExp) {
  const end = Promise.withResolvers<'continue' | 'abort'>()
  await page.route(url, async (route) => await route[await end.promise]())
  return { release: () => end.resolve('continue'), fail: () => end.resolve('abort') }
}
