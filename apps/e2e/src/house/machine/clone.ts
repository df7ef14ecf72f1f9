import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/** Creates a copy of the repository without ignored files, like a fresh clone with installed packages. */
export function cloneInto(folder: string): void {
  const options = { cwd: ROOT, encoding: 'utf8' as const, maxBuffer: 64 << 20 }
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options)
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  for (const place of ['node_modules', 'apps/gateway/node_modules', 'apps/e2e/node_modules'])
    if (existsSync(join(ROOT, place))) symlinkSync(join(ROOT, place), join(folder, place))
}
