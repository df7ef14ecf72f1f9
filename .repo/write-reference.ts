// `npm run reference`: updates generated parts of the documentation: the pages of docs/reference, and the code blocks
// that show files of docs/examples.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withCurrentFiles } from './rules/documents-show-files.ts'
import { treeOfWorkingCopy } from './rules/repository-tree.ts'

const root = resolve(import.meta.dirname, '..')
const tree = treeOfWorkingCopy(root)
for (const file of tree.files.filter((name) => name.endsWith('.md'))) {
  const text = tree.read(file)
  const current = withCurrentFiles(text, tree)
  if (current === text) continue
  writeFileSync(join(root, file), current)
  process.stdout.write(`updated the code blocks of ${file}\n`)
}
// In update mode, the test of the pages writes the pages.
const gateway = join(root, 'apps/gateway')
const { status } = spawnSync(
  'vitest',
  ['run', 'src/reference.test.ts', '--config', '../../.config/vitest.ts', '--update'],
  { cwd: gateway, stdio: 'inherit' },
)
process.exit(status ?? 1)
