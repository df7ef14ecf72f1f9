// `npm run reference`: updates generated parts of the documentation: the pages of docs/reference, the picture of the
// projects, and the code blocks that show files of docs/examples.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withCurrentFiles } from './rules/documents/documents-show-files.ts'
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
// In update mode, the tests of the pages write the pages.
const pages = [
  ['apps/gateway', 'src/reference.test.ts'],
  ['apps/agent', 'src/modems/discovery/hardware-page.test.ts'],
  ['.repo', 'reference/project-picture.test.ts'],
] as const
const results = pages.map(([project, file]) =>
  spawnSync('vitest', ['run', file, '--config', join(root, '.config/vitest.ts'), '--update'], {
    cwd: join(root, project),
    stdio: 'inherit',
  }),
)
process.exit(results.every(({ status }) => status === 0) ? 0 : 1)
