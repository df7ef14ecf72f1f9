import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** The repository as a rule sees it. Tests build it from literals. */
export interface RepositoryTree {
  /** The sorted paths, relative to the root, of all files that git tracks or would track. */
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
  const files = isGitRoot(root) ? filesOfGit(root) : filesBelow(root)
  return { files: files.sort(), read: (file) => readFileSync(join(root, file), 'utf8') }
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

/** Reads a list of exceptions; an absent list is empty. */
export function readList<Entry>(tree: RepositoryTree, file: string): Record<string, Entry> {
  return tree.files.includes(file) ? JSON.parse(tree.read(file)) : {}
}

/** Returns true if the first line says that a tool generates the file. */
export function isGenerated(text: string): boolean {
  return text.startsWith('// Generated ')
}

/** Returns false without git. Also returns false for an unpacked archive, even inside another repository. */
function isGitRoot(root: string): boolean {
  try {
    return realpathSync(git(root, ['rev-parse', '--show-toplevel']).trimEnd()) === realpathSync(root)
  } catch {
    return false
  }
}

function filesOfGit(root: string): string[] {
  const listing = git(root, ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  return [...new Set(listing.split('\0'))].filter((file) => file && existsSync(join(root, file)))
}

function git(root: string, args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

const NOT_SOURCE = new Set(['.git', 'node_modules', 'dist', '.cache', '.nx'])

function filesBelow(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isDirectory()) return NOT_SOURCE.has(entry.name) || path === 'data' ? [] : filesBelow(root, path)
    return entry.isFile() ? [path] : []
  })
}
