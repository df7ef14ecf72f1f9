import { posix } from 'node:path'
import { type Manifest, readManifest, workspacePackages } from './manifest.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

/**
 * Checks that each folder in `apps`, `libs` and `packages` is a workspace, is compiled after its dependencies (the
 * `tsconfig.json` of `.config` references it), and runs its tests with the common command (nx.json).
 */
export const projects: Rule = (tree) => {
  const violations: Violation[] = []
  const folders = [...new Set(tree.files.flatMap((file) => /^(?:apps|libs|packages)\/[^/]+(?=\/)/.exec(file) ?? []))]
  const compiled = references(tree, ALL)
  for (const folder of folders) {
    const missing = ['package.json', 'tsconfig.json'].filter((name) => !tree.files.includes(`${folder}/${name}`))
    violations.push(...missing.map((name) => ({ file: folder, problem: `has no ${name}` })))
    if (missing.length > 0) continue
    if (!compiled.includes(folder)) violations.push({ file: ALL, problem: `does not reference ${folder}` })
    violations.push(...projectProblems(tree, folder))
  }
  for (const folder of compiled) {
    if (!folders.includes(folder)) violations.push({ file: ALL, problem: `references ${folder}, which does not exist` })
  }
  return violations
}

const ALL = '.config/tsconfig.json'
const EXECUTOR = 'nx:run-commands'
const TEST_SCRIPT = 'vitest run --config ../../.config/vitest.ts'
const E2E_SCRIPT = 'vitest run --mode e2e --config ../../.config/vitest.ts'

function projectProblems(tree: RepositoryTree, folder: string): Violation[] {
  const file = `${folder}/package.json`
  const manifest = readManifest(tree, file)
  const violations: Violation[] = []
  const name = `@smsgw/${posix.basename(folder)}`
  if (manifest.name !== name) violations.push({ file, problem: `its name must be ${name}, like its folder` })
  const hasTests = tree.files.some((test) => test.startsWith(`${folder}/`) && /\.test\.tsx?$/.test(test))
  if (hasTests && !hasCommonTarget(manifest))
    violations.push({ file, problem: `has tests, so its Nx target "test" must have only the executor ${EXECUTOR}` })
  if (hasTests && manifest.scripts?.['test'] !== TEST_SCRIPT)
    violations.push({ file, problem: `has tests, so its test script must be "${TEST_SCRIPT}"` })
  const startsPrograms = tree.files.some((test) => test.startsWith(`${folder}/`) && test.endsWith('.process.test.ts'))
  if (startsPrograms && manifest.scripts?.['e2e'] !== E2E_SCRIPT)
    violations.push({ file, problem: `has process tests, so its e2e script must be "${E2E_SCRIPT}"` })

  const config = `${folder}/tsconfig.json`
  const dependencies = workspacePackages(manifest.dependencies)
  const referenced = references(tree, config).map((path) => posix.basename(path))
  for (const missing of dependencies.filter((dependency) => !referenced.includes(dependency)))
    violations.push({ file: config, problem: `does not reference ${missing}, on which the project depends` })
  for (const surplus of referenced.filter((reference) => !dependencies.includes(reference)))
    violations.push({ file: config, problem: `references ${surplus}, on which the project does not depend` })
  return violations
}

/**
 * True if Nx runs the tests with the command in nx.json. Without the executor, Nx would start npm for the script
 * `test`, which is for developers in the folder of the project.
 */
function hasCommonTarget({ nx }: Manifest): boolean {
  const { test } = nx?.targets ?? {}
  return test !== undefined && 'executor' in test && test.executor === EXECUTOR && !('options' in test)
}

/** Returns the folders that a tsconfig references, relative to the root. */
function references(tree: RepositoryTree, file: string): string[] {
  const { references: listed = [] } = JSON.parse(tree.read(file)) as { references?: { path: string }[] }
  return listed.map(({ path }) => posix.join(posix.dirname(file), path).replace(/\/(?:tsconfig\.json)?$/, ''))
}
