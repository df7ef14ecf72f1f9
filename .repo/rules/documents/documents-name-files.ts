import { posix } from 'node:path'
import { readManifest } from '../manifest.ts'
import type { RepositoryTree, Rule, Violation } from '../repository-tree.ts'

/**
 * Checks that documents name only existing files, headings and npm scripts. A file that is created at run time is named
 * with its folder, such as `./data/ledger.jsonl` or `/dev/ttyUSB2`; the repository does not have this folder. Pages of
 * the site (`docs/`) link only to files of the site.
 */
export const documentsNameFiles: Rule = (tree) => {
  const violations: Violation[] = []
  const checks = checksOf(tree)
  for (const file of tree.files.filter((name) => name.endsWith('.md'))) {
    for (const [index, line] of linesOf(tree.read(file)).entries()) {
      for (const check of checks) {
        for (const problem of check(line, file)) violations.push({ file, line: index + 1, problem })
      }
    }
  }
  return violations
}

interface Line {
  readonly text: string
  readonly fenced: boolean
}

function linesOf(document: string): Line[] {
  let fenced = false
  return document.split('\n').map((text) => {
    const isFence = /^\s*(?:```|~~~)/.test(text)
    if (isFence) fenced = !fenced
    return { text, fenced: fenced || isFence }
  })
}

function checksOf(tree: RepositoryTree): ((line: Line, file: string) => string[])[] {
  const known = knownPaths(tree)
  const scripts = readManifest(tree, 'package.json').scripts ?? {}
  return [
    ({ text }) =>
      scriptsNamedIn(text)
        .filter((name) => scripts[name] === undefined)
        .map((name) => `names the npm script "${name}", which package.json does not have`),
    ({ text, fenced }) =>
      (fenced ? [text] : codeSpans(text))
        .flatMap(pathsOfOurs)
        .filter((path) => !known.has(path))
        .map((path) => `names ${path}, which does not exist`),
    ({ text, fenced }) =>
      (fenced ? [] : codeSpans(text))
        .filter((name) => looksLikeFile(name) && !isNameOfFile(tree, name))
        .map((name) => `names ${name}, which does not exist`),
    ({ text, fenced }, file) =>
      (fenced ? [] : linkTargets(text)).flatMap((target) => linkProblem(tree, known, file, target) ?? []),
  ]
}

function linkProblem(
  tree: RepositoryTree,
  known: ReadonlySet<string>,
  file: string,
  { path, anchor }: LinkTarget,
): string | undefined {
  const target = path === '' ? file : resolveLink(file, path)
  if (!known.has(target)) return `links to ${path}, which does not exist`
  if (file.startsWith('docs/') && !target.startsWith('docs/'))
    return `links to ${path}, which is not part of the site: name the file without a link`
  if (anchor !== '' && target.endsWith('.md') && !anchorsOf(tree.read(target)).has(anchor))
    return `links to ${path}#${anchor}, and ${target} has no such heading`
  return undefined
}

/**
 * Returns the anchors of a document's headings in the form that GitHub uses. The site is configured to use this form,
 * too.
 */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>()
  for (const { text, fenced } of linesOf(document)) {
    const [, heading] = (!fenced && /^#{1,6} +(.+?)\s*$/.exec(text)) || []
    if (heading === undefined) continue
    const anchor = slugOf(heading)
    let free = anchor
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`
    anchors.add(free)
  }
  return anchors
}

/**
 * Returns the anchor of a heading: in lower case, without markup and punctuation, and with hyphens between the words.
 */
function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function knownPaths(tree: RepositoryTree): Set<string> {
  const known = new Set<string>(['.'])
  for (const file of tree.files) {
    for (let path = file; path !== '.'; path = posix.dirname(path)) known.add(path)
  }
  return known
}

function codeSpans(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')
}

/**
 * Returns the paths, relative to the root, that begin with a folder of the repository, such as
 * `libs/sms/src/segment.ts`, `node .repo/check.ts` and `./docs`. Skips paths with placeholders and build output.
 */
function pathsOfOurs(code: string): string[] {
  return [
    ...code.matchAll(/(?<![^\s"'=(])(?:\.\/)?((?:apps|libs|packages|docs|prisma|\.ci|\.repo|\.config)\/[^\s"'`)]*)/g),
  ]
    .map((match) => (match[1] ?? '').replace(/[.,;:]+$/, '').replace(/(?::\d+)+$|#.*$/, ''))
    .filter((path) => !/[<>*{}$…]|\.\.\.|\/dist(?:\/|$)/.test(path))
    .map(trimSlash)
}

/** Matches a file name without a folder if it has the ending of a source file: `docker-compose.yml`, `.biome.json`. */
function looksLikeFile(code: string): boolean {
  return /^(?:\.\/)?[\w.-]+\.(?:md|jsonc?|ya?ml|toml|[cm]?tsx?|[cm]js|sh|py|sql|prisma)$/.test(code)
}

/** A text may name a file in any folder by the last part of its path, or a kind of file by its ending (`.test.ts`). */
function isNameOfFile(tree: RepositoryTree, code: string): boolean {
  if (code.startsWith('./')) return tree.files.includes(code.slice(2))
  return tree.files.some((file) => posix.basename(file) === code || (code.startsWith('.') && file.endsWith(code)))
}

interface LinkTarget {
  readonly path: string
  readonly anchor: string
}

/** Returns the targets of `[text](target#anchor "title")` and `[label]: target`. */
function linkTargets(line: string): LinkTarget[] {
  const inline = line.replace(/`[^`]*`/g, '').matchAll(/\]\(\s*<?([^)\s>]+)[^)]*\)/g)
  const reference = line.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/g)
  return [...inline, ...reference]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      return { path, anchor }
    })
}

function resolveLink(file: string, target: string): string {
  const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(file), target)
  return trimSlash(posix.normalize(path))
}

function scriptsNamedIn(line: string): string[] {
  const names = [...line.matchAll(/\bnpm run ([a-z][a-z0-9:-]*)/g)].map((match) => match[1] ?? '')
  for (const word of ['start', 'test']) if (new RegExp(`\\bnpm ${word}\\b`).test(line)) names.push(word)
  return names
}

function trimSlash(path: string): string {
  return path.replace(/\/$/, '')
}
