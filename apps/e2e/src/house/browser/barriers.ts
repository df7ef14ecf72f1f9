import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The only rules of ALL_RULES whose result depends on colours. axe throws an error if it does not know a rule. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Returns the violations of WCAG 2.2 AA on the page, with the places where they occur. */
async function barriersOn(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('Boolean(window.axe)'))) await page.evaluate(axe)
  // A string and not a function, because the code runs in the page, where `axe` is loaded.
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, reporter: 'no-passes' })`,
  )) as AxeResults
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`,
  )
}

/**
 * Returns accessibility violations in the light and the dark colour scheme, on a desktop and on a phone, and content
 * that is wider than the screen. Checks rules that do not depend on colours in one scheme only.
 */
export function barriersEverywhere(page: Page): Promise<readonly string[]> {
  return barriersIn(page, [
    ['phone', LIGHT, COLOUR_RULES],
    ['phone', DARK, ALL_RULES],
    ['desk', DARK, ALL_RULES],
    ['desk', LIGHT, COLOUR_RULES],
  ])
}

/**
 * Returns the violations of `barriersEverywhere`, and those in forced colours, as a high-contrast theme of the
 * operating system has them.
 */
export function barriersAndForced(page: Page): Promise<readonly string[]> {
  return barriersIn(page, [
    ['phone', FORCED, COLOUR_RULES],
    ['phone', LIGHT, COLOUR_RULES],
    ['phone', DARK, ALL_RULES],
    ['desk', DARK, ALL_RULES],
    ['desk', LIGHT, COLOUR_RULES],
    ['desk', FORCED, COLOUR_RULES],
  ])
}

/**
 * Returns accessibility violations on a phone with dark colours, and on a desktop with light colours. Used for a page
 * that differs little from another page.
 */
export function barriersHalved(page: Page): Promise<readonly string[]> {
  return barriersIn(page, [
    ['phone', DARK, ALL_RULES],
    ['desk', LIGHT, ALL_RULES],
  ])
}

/**
 * Returns accessibility violations that another language can cause. Other colours are not checked, because they do not
 * depend on the language.
 */
export function barriersOfLanguage(page: Page): Promise<readonly string[]> {
  return barriersIn(page, [
    ['phone', LIGHT, ALL_RULES],
    ['desk', LIGHT, ALL_RULES],
  ])
}

/**
 * Returns accessibility violations in forced colours, on a desktop and on a phone. Checks only rules that depend on
 * colours.
 */
export function barriersForced(page: Page): Promise<readonly string[]> {
  return barriersIn(page, [
    ['phone', FORCED, COLOUR_RULES],
    ['desk', FORCED, COLOUR_RULES],
  ])
}

type Scan = readonly [
  place: keyof typeof PLACES,
  colours: typeof DARK | typeof LIGHT | typeof FORCED,
  rules: readonly string[],
]

/** Checks the page in this order. A change of the place costs most, because the page gets a new layout. */
async function barriersIn(page: Page, scans: readonly Scan[]): Promise<readonly string[]> {
  const found: string[] = []
  let shown: string | undefined
  for (const [place, { name, ...media }, rules] of scans) {
    await page.emulateMedia(media)
    if (place !== shown) await page.setViewportSize(PLACES[place])
    await showWhole(page)
    const where = `${name}, ${place}:`
    found.push(...(await barriersOn(page, rules)).map((barrier) => `${where} ${barrier}`))
    const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (tooWide > 0) found.push(`${where} ${tooWide} pixels wider than the screen`)
    shown = place
  }
  await page.emulateMedia({ forcedColors: null })
  await page.setViewportSize(PLACES.desk)
  return found
}

/**
 * Returns accessibility violations of an open menu, in the light and the dark colour scheme. Keeps the size of the
 * window, because the menu would move if the size changed.
 */
export async function barriersOfMenu(page: Page): Promise<readonly string[]> {
  await page.getByRole('menu').waitFor()
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['dark', ALL_RULES],
    ['light', COLOUR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(UNTIL_STILL)
    found.push(...(await barriersOn(page, rules)).map((barrier) => `${colorScheme}: ${barrier}`))
  }
  return found
}

/** Makes the window as high as the page, so that nothing is hidden below a bar. */
async function showWhole(page: Page): Promise<void> {
  await page.locator('.waiting-lines').first().waitFor({ state: 'detached' })
  for (let steps = 0; steps <= 20; steps++) {
    await page.evaluate(UNTIL_STILL)
    const [full, width, shown] = await page.evaluate<[number, number, number]>(
      '[document.documentElement.scrollHeight, innerWidth, innerHeight]',
    )
    if (full <= shown) return
    await page.setViewportSize({ width, height: full })
  }
  throw new Error('the page is always higher than its window')
}

/**
 * Waits until the page has not changed for a while and no transition runs, or for at most ten seconds, because some
 * pages always change. The time is measured in the page, so that it is longer if the page is slow.
 */
const UNTIL_STILL = `new Promise((resolve) => {
  const began = performance.now()
  let changed = began
  const changes = new MutationObserver(() => { changed = performance.now() })
  const runs = ({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity
  const look = () => {
    const now = performance.now()
    if (document.getAnimations().some(runs)) changed = now
    if (now - changed < 150 && now - began < 10000) return requestAnimationFrame(look)
    changes.disconnect()
    resolve()
  }
  changes.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  requestAnimationFrame(look)
})`

const PLACES = { phone: { width: 360, height: 740 }, desk: { width: 1400, height: 900 } } as const

const DARK = { name: 'dark', colorScheme: 'dark', forcedColors: null } as const
const LIGHT = { name: 'light', colorScheme: 'light', forcedColors: null } as const
const FORCED = { name: 'forced colours', colorScheme: 'light', forcedColors: 'active' } as const
