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
export async function barriersEverywhere(page: Page): Promise<readonly string[]> {
  return [...(await barriersIn(page, 'dark')), ...(await barriersIn(page, 'light', COLOUR_RULES))]
}

/**
 * Returns accessibility violations on a phone with dark colours, and on a desktop with light colours. Used for a page
 * that differs little from another page.
 */
export async function barriersHalved(page: Page): Promise<readonly string[]> {
  const [phone, desk] = PLACES
  return [
    ...(await barriersIn(page, 'dark', ALL_RULES, [phone])),
    ...(await barriersIn(page, 'light', ALL_RULES, [desk])),
  ]
}

/**
 * Returns accessibility violations that another language can cause. Colours are not checked, because they do not depend
 * on the language.
 */
export function barriersOfLanguage(page: Page): Promise<readonly string[]> {
  return barriersIn(page, 'light')
}

/**
 * Returns accessibility violations in forced colours, as a high-contrast theme of the operating system has them, on a
 * desktop and on a phone.
 */
export async function barriersForced(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const found = await barriersIn(page, 'light')
  await page.emulateMedia({ forcedColors: null })
  return found.map((barrier) => `forced colours, ${barrier}`)
}

async function barriersIn(
  page: Page,
  colorScheme: 'dark' | 'light',
  rules: readonly string[] = ALL_RULES,
  places: readonly (typeof PLACES)[number][] = PLACES,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [place, width, height] of places) {
    await page.emulateMedia({ colorScheme })
    await showWhole(page, width, height)
    const where = `${colorScheme}, ${place}:`
    found.push(...(await barriersOn(page, rules)).map((barrier) => `${where} ${barrier}`))
    const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (tooWide > 0) found.push(`${where} ${tooWide} pixels wider than the screen`)
  }
  await page.setViewportSize({ width: 1400, height: 900 })
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
async function showWhole(page: Page, width: number, height: number): Promise<void> {
  await page.locator('.waiting-lines').first().waitFor({ state: 'detached' })
  for (let full = height, shown = 0, steps = 0; full > shown; steps++) {
    if (steps > 20) throw new Error(`The page is always higher than its window: ${full} pixels in a window of ${shown}`)
    shown = full
    await page.setViewportSize({ width, height: shown })
    await page.evaluate(UNTIL_STILL)
    full = await page.evaluate<number>('document.documentElement.scrollHeight')
  }
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

const PLACES = [
  ['phone', 360, 740],
  ['desk', 1400, 900],
] as const
