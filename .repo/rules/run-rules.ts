// `node .repo/rules/run-rules.ts`: checks the working copy with the rules of this repository.
import { resolve } from 'node:path'
import { allRules } from './all-rules.ts'
import { treeOfWorkingCopy } from './repository-tree.ts'

const tree = treeOfWorkingCopy(resolve(import.meta.dirname, '../..'))
let count = 0
for (const [name, rule] of Object.entries(allRules)) {
  for (const { file, line, problem } of rule(tree)) {
    process.stdout.write(`${line === undefined ? file : `${file}:${line}`} (${name}) ${problem}\n`)
    count += 1
  }
}
process.stdout.write(count === 0 ? `${tree.files.length} files follow the rules\n` : `${count} violations\n`)
process.exit(count === 0 ? 0 : 1)
