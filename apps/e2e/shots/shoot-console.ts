// Takes screenshots of every page and dialogue of the console: in the widths of a phone, a tablet and a desktop, in
// light and dark colours, and in each language. `--schemes forced` uses forced colours, like a high-contrast theme of
// the operating system. Writes the screenshots, and a contact sheet for each page and width.
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import type { ApiClient } from '../src/house/api-client.ts'
import { ConsoleBrowser } from '../src/house/browser/console-browser.ts'
import { consoleDialogs, consoleTexts, type DialogData, fillForDialogs } from '../src/house/browser/console-dialogs.ts'
import { credentialsIn, Gateway } from '../src/house/gateway.ts'
import { House } from '../src/house/house.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.cache/shots' },
    only: { type: 'string', default: '' },
    languages: { type: 'string', default: 'en,de,es,ar' },
    widths: { type: 'string', default: '390,820,1440' },
    schemes: { type: 'string', default: 'light,dark' },
  },
})
const folder = resolve(process.env['INIT_CWD'] ?? '', values.out)
const languages = values.languages.split(',') as Language[]
const widths = values.widths.split(',').map(Number)
const schemes = values.schemes.split(',') as Scheme[]
const locales = { en: 'en-GB', de: 'de-DE', es: 'es-ES', ar: 'ar-EG' } as const
/** Longer pages are cut. */
const mostHigh = 1_800

type Language = 'en' | 'de' | 'es' | 'ar'
type Scheme = 'light' | 'dark' | 'forced'

interface Subject {
  readonly name: string
  readonly path: string
  readonly open?: (page: Page, text: ReturnType<typeof consoleTexts>) => Promise<void>
}

mkdirSync(folder, { recursive: true })
const gateway = await Gateway.start()
const house = await House.start()
try {
  await gateway.untilReady()
  const ofGateway = await fillForShots(gateway.api)
  const ofHouse = await fillForDialogs(house.api)
  await shoot(gateway.url, credentialsIn(gateway.folder), pages(ofGateway))
  await shoot(
    house.relayUrl,
    house.user,
    consoleDialogs(ofHouse).map((dialog) => ({ ...dialog, name: `dialogue ${dialog.name}` })),
  )
} finally {
  await house.stop()
  await gateway.stop()
}

function pages(data: Awaited<ReturnType<typeof fillForShots>>): readonly Subject[] {
  const thread = (number: string) => `/conversations/${encodeURIComponent(number)}`
  return [
    { name: 'overview', path: '/' },
    { name: 'conversations', path: '/conversations' },
    { name: 'search', path: '/conversations?q=table' },
    { name: 'thread', path: thread(data.number) },
    { name: 'thread with a wrong number', path: thread('+12025550110') },
    { name: 'thread in doubt', path: thread('+12025550119') },
    { name: 'compose', path: '/compose' },
    { name: 'messages', path: '/messages' },
    { name: 'message scheduled', path: `/messages/${data.messageId}` },
    { name: 'message failed', path: `/messages/${data.failedId}` },
    { name: 'message to many', path: `/messages/${data.manyId}` },
    { name: 'approvals', path: '/approvals' },
    { name: 'devices', path: '/devices' },
    { name: 'device', path: `/devices/${data.deviceId}` },
    { name: 'setup', path: '/setup' },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'webhook', path: `/webhooks/${data.webhookId}` },
    { name: 'access', path: '/access' },
    { name: 'settings', path: '/settings' },
    { name: 'logs', path: '/logs' },
    { name: 'developers', path: '/developers' },
    { name: 'page not found', path: '/nowhere' },
    {
      name: 'menu of a conversation',
      path: thread(data.number),
      open: async (page) => await page.locator('.thread-menu').click(),
    },
    {
      name: 'menu of the account',
      path: '/',
      open: async (page) => await page.locator('.account-menu').filter({ visible: true }).click(),
    },
  ]
}

async function shoot(
  url: string,
  user: { readonly username: string; readonly password: string },
  subjects: readonly Subject[],
): Promise<void> {
  const browser = await ConsoleBrowser.start(url, { needsWhole: true })
  const signedIn = await browser.signedIn(user)
  const storageState = await signedIn.context().storageState()
  await signedIn.context().close()
  const views: { language: Language; scheme: Scheme; page: Page }[] = []
  for (const language of languages)
    for (const scheme of schemes) {
      const colours = scheme === 'forced' ? ({ forcedColors: 'active' } as const) : { colorScheme: scheme }
      const page = await browser.page({ locale: locales[language], ...colours, storageState })
      await page.addInitScript(`localStorage.setItem('smsgw-language', '${language}')`)
      views.push({ language, scheme, page })
    }
  for (const subject of subjects.filter(({ name }) => name.includes(values.only))) {
    const fileOf = (width: number, language: string, scheme: string) =>
      join(folder, `${subject.name} ${width} ${scheme} ${language}.png`)
    for (const { language, scheme, page } of views)
      for (const width of widths) {
        const file = fileOf(width, language, scheme)
        await take(page, { url, subject, width, language, file }).catch((error: Error) =>
          process.stderr.write(`${file}: ${error.message}\n`),
        )
      }
    for (const width of widths)
      for (const scheme of schemes)
        await writeSheet(await browser.page(), {
          file: join(folder, `sheet ${subject.name} ${width} ${scheme}.png`),
          pictures: languages.map((language) => fileOf(width, language, scheme)),
          width,
        })
  }
  for (const complaint of new Set(browser.complaints)) process.stderr.write(`${complaint}\n`)
  await browser.stop()
}

async function take(
  page: Page,
  {
    url,
    subject,
    width,
    language,
    file,
  }: { url: string; subject: Subject; width: number; language: Language; file: string },
): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 900 })
  await page.goto(url + subject.path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('.waiting-lines').first().waitFor({ state: 'detached' })
  await subject.open?.(page, consoleTexts(language))
  await page.waitForTimeout(250)
  const high = await page.evaluate<number>('document.documentElement.scrollHeight')
  const isDialog = (await page.getByRole('dialog').count()) > 0
  if (high > 900 && !isDialog) await page.setViewportSize({ width, height: Math.min(high, mostHigh) })
  await page.waitForTimeout(100)
  await page.screenshot({ path: file, animations: 'disabled' })
}

interface ShotData extends DialogData {
  readonly failedId: string
  readonly manyId: string
}

/** Creates messages in every state, a conversation with labels, and messages that wait for approval. */
async function fillForShots(api: ApiClient): Promise<ShotData> {
  const data = await fillForDialogs(api)
  const send = (phoneNumbers: readonly string[], text: string) => api.send({ phoneNumbers, textMessage: { text } })
  const failedId = await send(['+12025550110'], 'Your table is ready')
  for (const last of [11, 12, 13, 15, 16, 17, 19, 21, 22]) await send([`+120255501${last}`], `Test to ${last}`)
  const manyId = await send(
    [data.number, '+12025550116', '+447400123457'],
    'We are closed on Monday. See you on Tuesday!',
  )
  for (const text of [
    'Hello, do you have a table for two tonight?',
    'Your code is 493 201. More at https://example.com/tables',
    'مرحبا، هل لديكم طاولة الليلة؟',
  ])
    await api.ask('POST', '/virtual-phone', { from: data.number, text })
  const label = await api.ask('POST', '/labels', { name: 'Reservation', color: 'teal' })
  const change = { addLabels: [label.json.id], assignee: 'Maria' }
  await api.ask('PATCH', `/conversations/${encodeURIComponent(data.number)}`, change)
  const assistant = { name: 'assistant', scopes: ['messages:send'], limits: { approval: 'required' } }
  const key = (await api.ask('POST', '/keys', assistant)).json.key
  const held = { phoneNumbers: ['+447400123459'], textMessage: { text: 'Shall I book a table?' } }
  await api.ask('POST', '/messages', held, { authorization: `Bearer ${key}` })
  await api.until(failedId, ({ state }) => state === 'Failed')
  return { ...data, failedId, manyId }
}

/** Writes a contact sheet: all pictures in one row, or wide pictures in rows of two. */
async function writeSheet(
  page: Page,
  { file, pictures, width }: { readonly file: string; readonly pictures: readonly string[]; readonly width: number },
): Promise<void> {
  const columns = width < 600 ? pictures.length : Math.min(2, pictures.length)
  const shownWidth = width < 1_000 ? width : 800
  const images = pictures.flatMap((picture) => {
    try {
      return `<img src="data:image/png;base64,${readFileSync(picture).toString('base64')}" width="${shownWidth}">`
    } catch {
      return '<p>no picture</p>'
    }
  })
  await page.setViewportSize({ width: columns * (shownWidth + 8), height: 600 })
  await page.setContent(
    `<body style="margin:0;display:grid;grid-template-columns:repeat(${columns},${shownWidth}px);gap:8px;background:#888;align-items:start">${images.join('')}`,
  )
  await page.screenshot({ path: file, fullPage: true })
  await page.context().close()
}
