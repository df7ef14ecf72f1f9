import { documentsNameFiles } from './documents-name-files.ts'
import { importTable } from './import-table.ts'
import { longFiles } from './long-files.ts'
import { pureLibs } from './pure-libs.ts'
import type { Rule } from './repository-tree.ts'

export const allRules: Readonly<Record<string, Rule>> = {
  'import table': importTable,
  'pure libs': pureLibs,
  'documents name files': documentsNameFiles,
  'long files': longFiles,
}
