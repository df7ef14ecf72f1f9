import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a rule sees of the repository; tests hand in a tree made of literals. */
export interface RepositoryTree {
  /** Paths from the root, in order: everything that git tracks or would track. */
  readonly files: readonly string[]
  read(file: string): string
}

export interface Violation {
  readonly file: string
  readonly line?: number
  readonly problem: string
}

export type Rule = (tree: RepositoryTree) => Violation[]

export function treeOfWorkingCopy(root: string): RepositoryTree {
  const listing = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  const files = [...new Set(listing.split('\0'))].filter((file) => file && existsSync(join(root, file))).sort()
  return { files, read: (file) => readFileSync(join(root, file), 'utf8') }
}

export function treeOfLiterals(contents: Readonly<Record<string, string>>): RepositoryTree {
  return {
    files: Object.keys(contents).sort(),
    read: (file) => {
      const text = contents[file]
      if (text === undefined) throw new Error(`the tree has no ${file}`)
      return text
    },
  }
}
