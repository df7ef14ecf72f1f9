import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { patienceMs } from '../patience.ts'

const chromiumProgram = '/usr/bin/chromium'
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

/** A browser that shows the console and records errors of the page. */
export class ConsoleBrowser {
  readonly #browser: Browser
  readonly #url: string
  /** The errors of the page, and its requests to other servers. */
  readonly complaints: string[] = []

  private constructor(browser: Browser, url: string) {
    this.#browser = browser
    this.#url = url
  }

  static async start(url: string, options: LaunchOptions = {}): Promise<ConsoleBrowser> {
    if (!existsSync(chromiumProgram))
      throw new Error(`there is no ${chromiumProgram}: apt-get install chromium, then run this again`)
    execFileSync(process.execPath, [`${ROOT}.repo/build-console.ts`])
    return new ConsoleBrowser(await chromium.launch({ executablePath: chromiumProgram, args: flags, ...options }), url)
  }

  async page(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })
    context.setDefaultTimeout(patienceMs)
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
    await this.#browser.close()
  }
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
