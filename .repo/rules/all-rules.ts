import { consoleCatalogues } from './console-catalogues.ts'
import { consoleTexts } from './console-texts.ts'
import { dataPaths } from './data-paths.ts'
import { dependencyLicences } from './dependency-licences.ts'
import { documentTables } from './documents/document-tables.ts'
import { documentsNameFiles } from './documents/documents-name-files.ts'
import { documentsShowFiles } from './documents/documents-show-files.ts'
import { exactVersions } from './exact-versions.ts'
import { expandingMigrations } from './expanding-migrations.ts'
import { fullFolders } from './full-folders.ts'
import { importCycles } from './import-cycles.ts'
import { importTable } from './import-table.ts'
import { libCompilation } from './lib-compilation.ts'
import { lockfile } from './lockfile.ts'
import { longFiles, wideComments } from './long-files.ts'
import { patientTests } from './patient-tests.ts'
import { plainWords } from './plain-words.ts'
import { projects } from './projects.ts'
import { pureLibs } from './pure-libs.ts'
import { relativeImports } from './relative-imports.ts'
import type { Rule } from './repository-tree.ts'
import { secrets } from './secrets.ts'
import { sharedNames } from './shared-names.ts'
import { smallFiles } from './small-files.ts'
import { typeChecked } from './type-checked.ts'
import { wideParameters } from './wide-parameters.ts'

export const allRules: Readonly<Record<string, Rule>> = {
  projects,
  'import table': importTable,
  'relative imports': relativeImports,
  'import cycles': importCycles,
  'exact versions': exactVersions,
  lockfile,
  'type-checked': typeChecked,
  'lib compilation': libCompilation,
  'pure libs': pureLibs,
  'patient tests': patientTests,
  'data paths': dataPaths,
  'document tables': documentTables,
  'documents name files': documentsNameFiles,
  'documents show files': documentsShowFiles,
  'long files': longFiles,
  'wide comments': wideComments,
  'small files': smallFiles,
  'full folders': fullFolders,
  'wide parameters': wideParameters,
  'shared names': sharedNames,
  'console texts': consoleTexts,
  'console catalogues': consoleCatalogues,
  'plain words': plainWords,
  secrets,
  'dependency licences': dependencyLicences,
  'expanding migrations': expandingMigrations,
}
