// `npm run bench [-- relay box …]`: runs the benchmarks of all projects, or only the named ones, one after the
// other. Prints all figures as one Markdown table for docs/performance.md. A name is a project, such as `relay`, or one
// benchmark, such as `box` for apps/e2e/bench/bench-box.ts. A single benchmark also gets the options after its name, as
// in `npm run bench -- box --count`. `--help` lists the names, or describes the named benchmarks and their options.
import { spawn } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Figure, figureTable, readFigure } from './benches/figure-table.ts'
import { benchUsage, unknownOption } from './benches/usage.ts'

const root = resolve(import.meta.dirname, '..')
const words = process.argv.slice(2)
const firstOption = words.findIndex((word) => word.startsWith('--'))
const names = firstOption < 0 ? words : words.slice(0, firstOption)
const options = words.slice(names.length)
const figures: Figure[] = []
const failed: string[] = []

const isHelp = options.includes('--help')
/** What `--help` prints about each named benchmark. */
const usages: string[] = []
if (options.length > 0 && (names.length === 0 || names.some(isProject)))
  leave(listed(), isHelp ? undefined : `options are possible only with a single benchmark: ${options.join(' ')}`)

const chosen = names.length === 0 ? benches() : names.flatMap(named)
if (isHelp) leave(usages.join('\n'))
for (const { name, folder, command } of chosen) {
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
  const single = singles().filter((one) => one.name === name)
  if (single.length === 0) leave(listed(), `no benchmark is named "${name}"`)
  for (const { file } of single) {
    const source = readFileSync(file, 'utf8')
    if (isHelp) usages.push(benchUsage(name, source))
    const unknown = isHelp ? undefined : unknownOption(source, options)
    if (unknown !== undefined) leave(benchUsage(name, source), `"${name}" has no option ${unknown}`)
  }
  return single.map(({ folder, file }) => ({ name, folder, command: [process.execPath, file, ...options] }))
}

function isProject(name: string): boolean {
  return benches().some((one) => one.name === name)
}

/** Prints what is possible, and ends the process. */
function leave(usage: string, problem?: string): never {
  if (problem !== undefined) process.stderr.write(`${problem}\n\n`)
  process.stdout.write(usage)
  process.exit(problem === undefined ? 0 : 1)
}

function listed(): string {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(', ')
  return `projects    ${names(benches())}\nbenchmarks  ${names(singles())}\n`
}

/** Returns the benchmarks that can run alone. */
function singles(): { readonly name: string; readonly folder: string; readonly file: string }[] {
  return folders().flatMap(({ folder }) =>
    globSync('bench/bench-*.ts', { cwd: folder })
      .sort()
      .map((file) => ({ name: basename(file, '.ts').replace('bench-', ''), folder, file: join(folder, file) })),
  )
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
