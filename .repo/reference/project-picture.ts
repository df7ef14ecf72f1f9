import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ProjectGraph {
  readonly projects: readonly string[]
  readonly dependencies: readonly Dependency[]
}

interface Dependency {
  readonly from: string
  readonly to: string
  /** True if only tests of the project import the other project. */
  readonly isOfTests: boolean
}

/** Reads the graph of Nx. Leaves out this repository's own scripts and the packages of others. */
export function readProjectGraph(root: string): ProjectGraph {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-graph-'))
  try {
    const file = join(folder, 'graph.json')
    execFileSync(join(root, 'node_modules/.bin/nx'), ['graph', `--file=${file}`], { cwd: root, stdio: 'pipe' })
    const { graph } = JSON.parse(readFileSync(file, 'utf8')) as {
      graph: {
        nodes: Record<string, { data: { root: string } }>
        dependencies: Record<string, { target: string }[]>
      }
    }
    const known = Object.entries(graph.nodes).filter(([, { data }]) => /^(?:apps|libs|packages)\//.test(data.root))
    const nameOf = new Map(known.map(([key, { data }]) => [key, data.root.split('/')[1] ?? '']))
    const dependencies = known.flatMap(([key, { data }]) => {
      const { devDependencies = {} } = JSON.parse(readFileSync(join(root, data.root, 'package.json'), 'utf8'))
      return (graph.dependencies[key] ?? []).flatMap(({ target }) => {
        const [from = '', to] = [nameOf.get(key), nameOf.get(target)]
        return to === undefined ? [] : [{ from, to, isOfTests: target in devDependencies }]
      })
    })
    return { projects: [...nameOf.values()].sort(), dependencies }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Draws each project above the projects that it imports. Leaves out an arrow from one project to another if a chain of
 * other arrows also connects the two. So the lines stay easy to follow. The import table lists all dependencies.
 */
export function projectPicture({ projects, dependencies }: ProjectGraph): string {
  const shown = dependencies.filter(({ from, to, isOfTests }) => {
    const others = dependencies.filter((one) => (isOfTests || !one.isOfTests) && !(one.from === from && one.to === to))
    return !reachable(from, others).has(to)
  })
  const rows = rowsOf(projects, dependencies)
  const width = Math.max(...rows.map((row) => row.length)) * (BOX.width + GAP.x) + GAP.x
  const places = new Map<string, { x: number; y: number }>()
  for (const [index, row] of rows.entries()) {
    const left = (width - row.length * (BOX.width + GAP.x) + GAP.x) / 2
    for (const [column, name] of row.entries())
      places.set(name, { x: left + column * (BOX.width + GAP.x), y: GAP.x + index * (BOX.height + GAP.y) })
  }
  const at = (name: string) => places.get(name) ?? { x: 0, y: 0 }
  const lines = shown.map(({ from, to, isOfTests }) => {
    const [start, end] = [at(from), at(to)]
    const isLong = end.y > start.y + BOX.height + GAP.y
    // An arrow that passes behind boxes does not touch the middle of a box, where the arrows of that box begin and end.
    const middle = BOX.width * (isLong ? 0.75 : 0.5)
    const [x1, y1, x2, y2] = [start.x + middle, start.y + BOX.height, end.x + middle, end.y]
    const bend = (y2 - y1) / 2
    return `<path${isOfTests ? ' class="tests"' : ''} d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"/>`
  })
  const boxes = rows.flat().map((name) => {
    const { x, y } = at(name)
    const [middle, base] = [x + BOX.width / 2, y + BOX.height / 2 + 4]
    return `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="4"/><text x="${middle}" y="${base}">${name}</text>`
  })
  const height = GAP.x * 2 + rows.length * (BOX.height + GAP.y) - GAP.y
  const title = 'The projects and the projects that they import'
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`
  return [head, `<title>${title}</title>`, `<style>${STYLE}</style>`, ...lines, ...boxes, '</svg>', ''].join('\n')
}

const BOX = { width: 132, height: 30 }
const GAP = { x: 14, y: 54 }
const STYLE =
  'rect{fill:#fff;stroke:#13543d}path{fill:none;stroke:#5c6b64}.tests{stroke-dasharray:4 4}text{font:13px sans-serif;text-anchor:middle;fill:#16201b}' +
  '@media(prefers-color-scheme:dark){rect{fill:#16201b;stroke:#6fae90}path{stroke:#8fa199}text{fill:#eef6f1}}'

/**
 * Returns the projects from top to bottom. A project is above all projects that it imports. Within a row, a project is
 * near the projects that import it.
 */
function rowsOf(projects: readonly string[], dependencies: readonly Dependency[]): string[][] {
  const heightOf = (name: string): number =>
    Math.max(0, ...dependencies.filter(({ from }) => from === name).map(({ to }) => heightOf(to) + 1))
  const rows: string[][] = []
  const highest = Math.max(...projects.map(heightOf))
  for (let height = highest; height >= 0; height -= 1) {
    const row = projects.filter((name) => heightOf(name) === height)
    const above = rows.flatMap((names) => names.map((name, column) => ({ name, place: (column + 0.5) / names.length })))
    const placeOf = (name: string) => {
      const users = above.filter((one) => dependencies.some(({ from, to }) => from === one.name && to === name))
      return users.length === 0 ? 1 : users.reduce((sum, { place }) => sum + place, 0) / users.length
    }
    rows.push(row.toSorted((one, other) => placeOf(one) - placeOf(other)))
  }
  return rows
}

function reachable(from: string, dependencies: readonly Dependency[]): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (name: string) => {
    for (const { to } of dependencies.filter((one) => one.from === name)) {
      if (found.has(to)) continue
      found.add(to)
      visit(to)
    }
  }
  visit(from)
  return found
}
