import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the path of a file of Swagger UI: next to the bundle of a packaged relay, otherwise in its npm package. */
export function docsPageFile(name: string): string {
  const packaged = resolve(import.meta.dirname, 'docs-page', name)
  if (existsSync(packaged)) return packaged
  return fileURLToPath(new URL(name, import.meta.resolve('swagger-ui-dist/package.json')))
}
