import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Writes a contact sheet: pictures side by side, and two in a row if they are wide. */
export async function writeSheet(
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
