import { posix } from 'node:path'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

/** Documents name only files that exist and npm scripts that can be run. */
export const documentsNameFiles: Rule = (tree) => {
  const known = knownPaths(tree)
  const scripts = rootScripts(tree)
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => name.endsWith('.md'))) {
    let fenced = false
    for (const [index, line] of tree.read(file).split('\n').entries()) {
      const at = { file, line: index + 1 }
      if (line.startsWith('```')) fenced = !fenced
      for (const script of scriptsNamedIn(line)) {
        if (!scripts.has(script))
          violations.push({ ...at, problem: `names the npm script "${script}", which package.json does not have` })
      }
      if (fenced) continue
      for (const target of linkTargets(line)) {
        const path = posix.normalize(posix.join(posix.dirname(file), target))
        if (!known.has(trimSlash(path))) violations.push({ ...at, problem: `links to ${target}, which does not exist` })
      }
      for (const path of pathsInBackticks(line)) {
        if (!known.has(trimSlash(path))) violations.push({ ...at, problem: `names ${path}, which does not exist` })
      }
    }
  }
  return violations
}

function knownPaths(tree: RepositoryTree): Set<string> {
  const known = new Set<string>(['.'])
  for (const file of tree.files) {
    for (let path = file; path !== '.'; path = posix.dirname(path)) known.add(path)
  }
  return known
}

function rootScripts(tree: RepositoryTree): Set<string> {
  const manifest = JSON.parse(tree.read('package.json')) as { scripts?: Record<string, string> }
  return new Set(Object.keys(manifest.scripts ?? {}))
}

function linkTargets(line: string): string[] {
  return [...line.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** `libs/sms/src/segment.ts`, `docs/glossary.md`: from the root, into a folder of ours, without placeholders. */
function pathsInBackticks(line: string): string[] {
  return [...line.matchAll(/`((?:apps|libs|docs|prisma|\.ci|\.repo|\.config)\/[^`\s]*)`/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => !/[<>*{}…]/.test(path))
}

function scriptsNamedIn(line: string): string[] {
  const names = [...line.matchAll(/\bnpm run ([a-z][a-z0-9:-]*)/g)].map((match) => match[1] ?? '')
  for (const word of ['start', 'test']) if (new RegExp(`\\bnpm ${word}\\b`).test(line)) names.push(word)
  return names
}

function trimSlash(path: string): string {
  return path.replace(/\/$/, '')
}
