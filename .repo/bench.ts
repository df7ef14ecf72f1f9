// `npm run bench [-- relay box …]`: runs the benchmarks of all projects, or only the named ones, one after the
// other. Prints all figures as one Markdown table for docs/performance.md. A name is a project, such as `relay`, or one
// benchmark, such as `box` for apps/e2e/bench/bench-box.ts. A single benchmark also gets the options after its name, as
// in `npm run bench -- box --count`.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Figure, figureTable, readFigure } from './figure-table.ts'

const root = resolve(import.meta.dirname, '..')
const words = process.argv.slice(2)
const firstOption = words.findIndex((word) => word.startsWith('--'))
const names = firstOption < 0 ? words : words.slice(0, firstOption)
const options = words.slice(names.length)
const figures: Figure[] = []
const failed: string[] = []

for (const { name, folder, command } of names.length === 0 ? benches() : names.flatMap(named)) {
  process.stdout.write(`\n── ${name}\n`)
  if ((await run(name, folder, command)) !== 0) failed.push(name)
}
process.stdout.write(`\n${machine()}\n\n${figureTable(figures)}\n`)
if (failed.length > 0) process.stdout.write(`\nbenchmarks failed: ${failed.join(', ')}; see above\n`)
process.exit(failed.length > 0 || figures.length === 0 ? 1 : 0)

interface Bench {
  readonly name: string
  readonly folder: string
  /** The program and its arguments. */
  readonly command: readonly string[]
}

/** Returns the benchmarks of a project, or the benchmark with this name. */
function named(name: string): Bench[] {
  const project = benches().find((one) => one.name === name)
  if (project !== undefined) return [project]
  const single = folders().filter(({ folder }) => existsSync(join(folder, 'bench', `bench-${name}.ts`)))
  if (single.length === 0) {
    process.stderr.write(`no benchmark is named "${name}": name a project, or a file bench-<name>.ts of a project\n`)
    process.exit(1)
  }
  return single.map(({ folder }) => {
    return { name, folder, command: [process.execPath, join('bench', `bench-${name}.ts`), ...options] }
  })
}

/** Returns all benchmarks, by project. */
function benches(): Bench[] {
  return folders().flatMap(({ name, folder }) => {
    const file = join(folder, 'package.json')
    const script = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).scripts?.bench
    return typeof script === 'string' ? [{ name, folder, command: ['sh', '-c', script] }] : []
  })
}

function folders(): { readonly name: string; readonly folder: string }[] {
  return ['libs', 'apps'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => ({ name, folder: join(root, kind, name) })),
  )
}

/** Prints the output as it arrives and collects the figures. */
function run(name: string, folder: string, [program = '', ...args]: readonly string[]): Promise<number | null> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`)
    const figure = readFigure(name, line)
    if (figure !== undefined) figures.push(figure)
  })
  return new Promise((end) => child.on('close', end))
}

function machine(): string {
  const [cpu] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${gigabytes} GB, Node ${process.version}, ${process.platform} ${process.arch}`
}
