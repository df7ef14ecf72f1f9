// `npm run bench [-- relay agent …]`: runs the benches of all projects, or of the named ones, one after the other, and
// prints all figures as one Markdown table for docs/performance.md.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Figure, figureTable, readFigure } from './figure-table.ts'

const root = resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const figures: Figure[] = []
const failed: string[] = []

for (const { name, folder, script } of benches()) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stdout.write(`\n── ${name}\n`)
  if ((await run(name, folder, script)) !== 0) failed.push(name)
}
process.stdout.write(`\n${machine()}\n\n${figureTable(figures)}\n`)
if (failed.length > 0) process.stdout.write(`\nbenches failed: ${failed.join(', ')}; see above\n`)
process.exit(failed.length > 0 || figures.length === 0 ? 1 : 0)

function benches(): { readonly name: string; readonly folder: string; readonly script: string }[] {
  return ['libs', 'apps'].flatMap((kind) =>
    readdirSync(join(root, kind)).flatMap((name) => {
      const folder = join(root, kind, name)
      const file = join(folder, 'package.json')
      const script = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).scripts?.bench
      return typeof script === 'string' ? [{ name, folder, script }] : []
    }),
  )
}

/** Prints the output as it arrives and collects the figures. */
function run(name: string, folder: string, script: string): Promise<number | null> {
  const child = spawn('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
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
