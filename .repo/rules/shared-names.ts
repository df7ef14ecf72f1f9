import { isGenerated, type RepositoryTree, type Rule, readList, type Violation } from './repository-tree.ts'
import { readSource } from './source-text.ts'

export const SHARED_NAMES = '.repo/shared-names.json'

/** Tests and declarations. */
const NOT_COUNTED = /\.(?:test|e2e|d)\.tsx?$/

interface SharedName {
  readonly files: number
  readonly why: string
}

/**
 * Checks that no two files export the same name for different things, because a reader could confuse the two things. If
 * several files share a name on purpose, the name is listed with the number of these files and a reason. Entries may
 * only be removed or lowered.
 */
export const sharedNames: Rule = (tree) => {
  const list = readList<SharedName>(tree, SHARED_NAMES)
  const violations: Violation[] = []
  const places = placesOfNames(tree)
  for (const [name, found] of places) {
    const allowed = list[name]?.files ?? 1
    const [first, second] = found
    if (found.length > allowed && first && second)
      violations.push({
        ...second,
        problem: `exports ${name}, and ${first.file} exports the same name: rename one of the two so that the names show the difference, or list the name in ${SHARED_NAMES} with a reason`,
      })
  }
  for (const [name, { files, why }] of Object.entries(list)) {
    const present = places.get(name)?.length ?? 0
    if (present < 2)
      violations.push({ file: SHARED_NAMES, problem: `still lists ${name}, although at most one file exports it` })
    else if (present < files)
      violations.push({
        file: SHARED_NAMES,
        problem: `allows ${files} files that export ${name}, but only ${present} files export it: lower the number`,
      })
    if (!why) violations.push({ file: SHARED_NAMES, problem: `gives no reason for ${name}` })
  }
  return violations
}

interface Place {
  readonly file: string
  readonly line: number
}

function placesOfNames(tree: RepositoryTree): Map<string, Place[]> {
  const places = new Map<string, Place[]>()
  for (const file of tree.files) {
    if (!/\.tsx?$/.test(file) || NOT_COUNTED.test(file)) continue
    const text = tree.read(file)
    if (isGenerated(text)) continue
    for (const { name, line } of readSource(file, text).exports) {
      const others = places.get(name) ?? []
      if (others.at(-1)?.file !== file) places.set(name, [...others, { file, line }])
    }
  }
  return places
}
