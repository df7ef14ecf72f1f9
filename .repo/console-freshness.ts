import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The files from which the console is built. The list contains folders, because their modification time shows that
 * files were removed.
 */
const folders = ['apps/console/src', 'apps/console/public', 'libs/sms/src']
const files = ['apps/console/index.html', 'apps/console/vite.config.ts', 'package-lock.json', '.repo/build-console.ts']

/** Returns true if the console was built after the last change of these files. */
export function isConsoleFresh(root = resolve(import.meta.dirname, '..')): boolean {
  const built = join(root, 'apps/console/dist/.built')
  if (!existsSync(built)) return false
  const builtAt = statSync(built).mtimeMs
  const isOlder = (path: string) => statSync(path).mtimeMs <= builtAt
  return (
    files.every((file) => isOlder(join(root, file))) &&
    folders.every((folder) => {
      const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      return ['.', ...names].every((name) => isOlder(join(root, folder, name)))
    })
  )
}
