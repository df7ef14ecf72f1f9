import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { benchOptions } from './usage.ts'

const root = resolve(import.meta.dirname, '../..')

function bench(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, '.repo/bench.ts'), ...words], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('--help describes one benchmark with its options, and measures nothing', () => {
  const { status, stdout } = bench('fleet', '--help')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^npm run bench -- fleet\n\nMeasures how the cost of a fleet grows\./)
  expect(stdout).toContain('\n  --large\n')
  expect(stdout).toContain('\n  --agents <value>\n')
  expect(stdout).not.toContain('──')
})

test('--help describes all named benchmarks', () => {
  const { status, stdout } = bench('box', 'fleet', '--help')
  expect(status).toBe(0)
  expect(stdout.match(/^npm run bench -- .*$/gm)).toEqual(['npm run bench -- box', 'npm run bench -- fleet'])
  expect(stdout).toContain('\n  --large\n')
})

test.each([[['--help']], [['relay', '--help']]])('%j lists the projects and the benchmarks', (words) => {
  const { status, stdout } = bench(...words)
  expect(status).toBe(0)
  expect(stdout).toMatch(/^projects .*relay/m)
  expect(stdout).toMatch(/^benchmarks .*box, /m)
})

test.each([
  ['an unknown option', ['fleet', '--nonsense', '3'], '"fleet" has no option --nonsense'],
  ['an unknown option of a benchmark without options', ['codec', '--large'], '"codec" has no option --large'],
  ['an option for a whole project', ['relay', '--large'], 'options are possible only with a single benchmark'],
  ['an option without a benchmark', ['--large'], 'options are possible only with a single benchmark'],
  ['an unknown name', ['nonsense'], 'no benchmark is named "nonsense"'],
])('%s is refused in one line, followed by what is possible', (_, words, line) => {
  const { status, stdout, stderr } = bench(...words)
  expect(status).toBe(1)
  expect(stderr.split('\n')[0]).toContain(line)
  expect(stdout).toMatch(/^(?:npm run bench -- |projects )/)
})

test('the options of every benchmark are found in its source', () => {
  const files = globSync('{apps,libs}/*/bench/bench-*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(20)
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8')
    const isDeclared = source.includes('parseArgs(')
    expect({ file, hasOptions: benchOptions(source).length > 0 }).toEqual({ file, hasOptions: isDeclared })
  }
})
