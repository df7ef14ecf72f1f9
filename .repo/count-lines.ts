// `npm run lines`: counts the lines of code by project, without comments, blank lines and generated files. The first
// column is the product; the second is code for tests, simulations and benchmarks.
import { resolve } from 'node:path'
import { treeOfWorkingCopy } from './rules/repository-tree.ts'
import { readSource } from './rules/source-text.ts'

const FOR_TESTS =
  /\.(?:test|e2e)\.tsx?$|\/(?:testing|fuzz|bench|oracle|sim|crash|chaos|proof|vectors|transcripts|schema-engine)\/|^apps\/e2e\/|^docs\//

const tree = treeOfWorkingCopy(resolve(import.meta.dirname, '..'))
const counts: Record<string, { product: number; tests: number }> = { total: { product: 0, tests: 0 } }
for (const file of tree.files) {
  if (!/\.(?:tsx?|[cm]?js)$/.test(file) || file.endsWith('/openapi.ts')) continue
  const text = tree.read(file)
  const { comments } = readSource(file, text)
  const code = comments
    .toReversed()
    .reduce((rest, { offset, text: { length } }) => rest.slice(0, offset) + rest.slice(offset + length), text)
  const lines = code.split('\n').filter((line) => line.trim() !== '').length
  const project = /^(?:apps|libs|packages)\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0] ?? ''
  for (const name of [project, 'total']) {
    counts[name] ??= { product: 0, tests: 0 }
    counts[name][FOR_TESTS.test(file) ? 'tests' : 'product'] += lines
  }
}
for (const [name, { product, tests }] of Object.entries(counts).toSorted(([, a], [, b]) => b.product - a.product))
  process.stdout.write(`${String(product).padStart(7)} ${String(tests).padStart(7)}  ${name}\n`)
