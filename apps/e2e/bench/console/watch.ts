import type { CDPSession, Page } from 'playwright-core'

interface Asked {
  readonly what: string
  readonly beganAt: number
  tookMs?: number
}

/** Measures how long a user waits for the page, and the requests and long tasks of the page during this time. */
export class Watch {
  readonly #page: Page
  readonly #session: CDPSession
  readonly #asked = new Map<string, Asked>()

  private constructor(page: Page, session: CDPSession) {
    this.#page = page
    this.#session = session
  }

  static async of(page: Page): Promise<Watch> {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Performance.enable')
    await page.addInitScript(`new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask ?? 0, duration)
    }).observe({ type: 'longtask', buffered: true })`)
    const watch = new Watch(page, session)
    session.on('Network.requestWillBeSent', ({ requestId, timestamp, request: { method, url } }) => {
      const { pathname, search } = new URL(url)
      if (pathname.startsWith('/3rdparty/v1/') && !pathname.endsWith('/events'))
        watch.#asked.set(requestId, { what: `${method} ${pathname.slice(13)}${search}`, beganAt: timestamp })
    })
    session.on('Network.loadingFinished', ({ requestId, timestamp }) => {
      const asked = watch.#asked.get(requestId)
      if (asked !== undefined) asked.tookMs = (timestamp - asked.beganAt) * 1000
    })
    return watch
  }

  head(): void {
    print('', 'shown', 'longest task', 'requests', 'slowest', 'elements', 'heap')
  }

  /** Performs and measures an action. `work` resolves when the result of the action is visible. */
  async step(name: string, work: () => Promise<void>): Promise<void> {
    this.#asked.clear()
    await this.#page.evaluate('window.longestTask = 0')
    const beganAt = performance.now()
    await work()
    const shownMs = performance.now() - beganAt
    // Waits, because requests that follow soon belong to the same action.
    await this.#page.waitForTimeout(700)
    const requests = [...this.#asked.values()]
    const slowest = requests.toSorted((one, other) => (other.tookMs ?? 1e9) - (one.tookMs ?? 1e9))[0]
    const { metrics } = await this.#session.send('Performance.getMetrics')
    const heap = metrics.find((metric) => metric.name === 'JSHeapUsedSize')?.value ?? 0
    print(
      name,
      `${shownMs.toFixed(0)} ms`,
      `${(await this.#page.evaluate<number>('window.longestTask ?? 0')).toFixed(0)} ms`,
      String(requests.length),
      slowest === undefined ? '–' : `${slowest.tookMs?.toFixed(0) ?? 'not over'} ms`,
      String(await this.#page.evaluate('document.querySelectorAll("*").length')),
      `${(heap / 2 ** 20).toFixed(0)} MiB`,
      slowest === undefined ? '' : `  ${slowest.what}`,
    )
  }
}

function print(name: string, ...figures: readonly string[]): void {
  process.stdout.write(`${name.padEnd(36)}${figures.map((figure) => figure.padStart(14)).join('')}\n`)
}
