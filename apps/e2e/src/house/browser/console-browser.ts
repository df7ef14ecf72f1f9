import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core'
import { patienceMs } from '../patience.ts'

const wholeChromium = '/usr/bin/chromium'
/**
 * Chromium without its windows. It has the same engine, and needs two thirds of the CPU time. It refuses notifications,
 * and does not keep pages for Back.
 */
const headlessShell = '/usr/bin/chromium-headless-shell'
/** Shows pages in the headless shell as in a browser that has not yet asked the user about notifications. */
const MAY_ASK = `if ('Notification' in self) Object.defineProperty(Notification, 'permission', { get: () => 'default' })`
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))
/** Flags that allow Chromium to run as root and prevent its own requests to the internet. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * The headless shell of this worker. Test files use it one after the other, because another start with its first page
 * takes more than a second of CPU time. They share no state, because each page has its own context.
 */
let kept: Browser | undefined
let isConsoleBuilt = false

/** The number of browsers that run for the next test files. A browser with pages belongs to a test file. */
export function keptBrowsers(): number {
  return kept?.isConnected() && kept.contexts().length === 0 ? 1 : 0
}

/** A browser that shows the console and records errors of the page. */
export class ConsoleBrowser {
  readonly #browser: Browser
  readonly #url: string
  readonly #isWhole: boolean
  readonly #contexts: BrowserContext[] = []
  /** The errors of the page, and its requests to other servers. */
  readonly complaints: string[] = []

  private constructor(browser: Browser, url: string, isWhole: boolean) {
    this.#browser = browser
    this.#url = url
    this.#isWhole = isWhole
  }

  /** @param needsWhole true for a test of what the headless shell lacks */
  static async start(
    url: string,
    options: LaunchOptions & { readonly needsWhole?: true } = {},
  ): Promise<ConsoleBrowser> {
    const { needsWhole, ...launchOptions } = options
    const isWhole = needsWhole || !existsSync(headlessShell)
    const executablePath = isWhole ? wholeChromium : headlessShell
    if (!existsSync(executablePath))
      throw new Error(`there is no ${executablePath}: apt-get install chromium, then run this again`)
    if (!isConsoleBuilt) execFileSync(process.execPath, [`${ROOT}.repo/build-console.ts`])
    isConsoleBuilt = true
    const launch = () => chromium.launch({ executablePath, args: flags, ...launchOptions })
    if (isWhole || Object.keys(launchOptions).length > 0) return new ConsoleBrowser(await launch(), url, isWhole)
    if (!kept?.isConnected()) kept = await launch()
    return new ConsoleBrowser(kept, url, isWhole)
  }

  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
    this.#contexts.push(context)
    context.setDefaultTimeout(patienceMs)
    if (!this.#isWhole) await context.addInitScript(MAY_ASK)
    const page = await context.newPage()
    page.on('pageerror', (error) => this.complaints.push(error.message))
    page.on('console', (message) => {
      // Ignores failed network requests in the log, because the page handles them.
      const isOfNetwork = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isOfNetwork) this.complaints.push(message.text())
    })
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(this.#url).origin) this.complaints.push(`asks ${request.url()}`)
    })
    return page
  }

  async signedIn(
    user: { readonly username: string; readonly password: string },
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    const page = await this.page(options)
    await page.goto(this.#url)
    await signIn(page, user)
    return page
  }

  async stop(): Promise<void> {
    if (this.#browser !== kept) await this.#browser.close()
    else await Promise.all(this.#contexts.map((context) => context.close()))
  }
}

/**
 * Opens another page of the console without loading the program again, as a link does. This needs half the CPU time,
 * and axe keeps its compiled code. The heading of the page that is left is marked, because it may still be shown while
 * the next page loads.
 */
export async function openPage(page: Page, path: string): Promise<void> {
  const move = `history.pushState(null, '', ${JSON.stringify(path)})`
  await page.evaluate(`for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''; ${move}`)
  await page.locator('h1:not([data-left])').waitFor()
}

export async function signIn(
  page: Page,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<void> {
  // Waits for the form of the program. The form that is shown while the program loads may be replaced during a click,
  // and the click would then have no effect.
  await page.locator('#root form').waitFor()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
