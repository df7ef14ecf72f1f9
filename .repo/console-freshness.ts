import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** What the built console is made of. A folder's own time tells of files that were removed. */
const sources = ['apps/console/src', 'apps/console/public', 'libs/sms/src']
const files = ['apps/console/index.html', 'apps/console/vite.config.ts', 'package-lock.json', '.repo/build-console.ts']

export function isConsoleFresh(): boolean {
  const built = join(root, 'apps/console/dist/.built')
  if (!existsSync(built)) return false
  const builtAt = statSync(built).mtimeMs
  const isOlder = (path: string) => statSync(path).mtimeMs <= builtAt
  return (
    files.every((file) => isOlder(join(root, file))) &&
    sources.every((folder) => {
      const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      return ['.', ...names].every((name) => isOlder(join(root, folder, name)))
    })
  )
}
