import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

export const PLAIN_WORDS = '.repo/rules/plain-words.json'

interface PlainWords {
  /** Folders (with a slash at the end) and files whose text still has to be rewritten. Entries are only removed. */
  readonly notYetRewritten: readonly string[]
  /** `phrase` is the source of a regular expression, which matches whole words in upper or lower case. */
  readonly banned: readonly { readonly phrase: string; readonly write: string }[]
}

/**
 * Refuses phrases that sound translated, in code, comments, configuration and documents. Each such phrase that a review
 * finds is added to the list.
 */
export const plainWords: Rule = (tree) => {
  const { notYetRewritten, banned } = readList(tree)
  const patterns = banned.map(({ phrase, write }) => ({ pattern: new RegExp(`\\b(?:${phrase})\\b`, 'i'), write }))
  const violations: Violation[] = []
  for (const file of tree.files) {
    if (!isText(file) || notYetRewritten.some((prefix) => file.startsWith(prefix))) continue
    for (const [index, line] of tree.read(file).split('\n').entries()) {
      for (const { pattern, write } of patterns) {
        const found = pattern.exec(line)?.[0]
        if (found)
          violations.push({ file, line: index + 1, problem: `"${found}" sounds translated. Write instead: ${write}` })
      }
    }
  }
  for (const prefix of notYetRewritten) {
    if (!tree.files.some((file) => file.startsWith(prefix)))
      violations.push({
        file: PLAIN_WORDS,
        problem: `lists ${prefix} as not yet rewritten, but ${prefix} does not exist`,
      })
  }
  return violations
}

function isText(file: string): boolean {
  return (
    file !== PLAIN_WORDS &&
    !file.startsWith('.repo/rules/plain-words') &&
    /\.(?:[cm]?tsx?|[cm]js|md|sql|sh|ya?ml|conf|service|prisma)$/.test(file)
  )
}

function readList(tree: RepositoryTree): PlainWords {
  return tree.files.includes(PLAIN_WORDS) ? JSON.parse(tree.read(PLAIN_WORDS)) : { notYetRewritten: [], banned: [] }
}
