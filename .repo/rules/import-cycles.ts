import { posix } from 'node:path'
import { shipsInLib } from './pure-libs.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { readSource } from './source-text.ts'

/**
 * Checks that no file of a lib imports itself through other files. Imports of types are included, because files that
 * need each other's types can only be understood together.
 */
export const importCycles: Rule = (tree) => {
  const imports = importGraph(tree)
  const violations: Violation[] = []
  for (const cycle of cyclesOf(imports)) {
    const [file = ''] = cycle
    violations.push({ file, problem: `is part of an import cycle: ${[...cycle, file].join(' -> ')}` })
  }
  return violations
}

type Graph = ReadonlyMap<string, readonly string[]>

function importGraph(tree: RepositoryTree): Graph {
  const files = new Set(tree.files.filter(shipsInLib))
  const graph = new Map<string, readonly string[]>()
  for (const file of files) {
    const targets = readSource(file, tree.read(file))
      .imports.filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => posix.join(posix.dirname(file), specifier))
    graph.set(
      file,
      targets.filter((target) => files.has(target)),
    )
  }
  return graph
}

/** Finds the cycles by a depth-first search. */
function cyclesOf(graph: Graph): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) cycles.push(path.slice(start))
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return cycles
}
