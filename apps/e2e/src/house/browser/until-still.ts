import type { Locator } from 'playwright-core'

/** Reads a value, such as a position on a page, until it has stayed the same for ten readings. */
export async function untilStill(read: () => Promise<number>): Promise<number> {
  let value = await read()
  for (let same = 0; same < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const next = await read()
    same = next === value ? same + 1 : 0
    value = next
  }
  return value
}

/**
 * Resolves when no element of this section has exactly this text. The page itself watches for it, because the text may
 * be back before a test looks again.
 */
export function untilGone(section: Locator, text: string): Promise<void> {
  return section.evaluate(`(section) => new Promise((resolve) => {
    const isThere = () => [...section.querySelectorAll('*')].some(({ textContent }) => textContent === ${JSON.stringify(text)})
    const changes = new MutationObserver(() => {
      if (isThere()) return
      changes.disconnect()
      resolve()
    })
    changes.observe(section, { subtree: true, childList: true, characterData: true })
  })`)
}
