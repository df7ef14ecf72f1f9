import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TOTALS_FOLDER } from './test-totals.ts'

const PLAN = {
  tasks: { tasks: Object.fromEntries(['a', 'b'].map((name) => [`${name}:test`, planned(name)])) },
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-npm-test-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('prints the totals of all projects on the last line', async () => {
  const { code, lines } = await npmTest(`leave('a', 3, 0, 1); leave('b', 2, 0, 0)`)
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '5 passed, 0 failed, 1 skipped' })
})

test('counts a project without a result as one failure, in addition to the failures of other projects', async () => {
  const { code, lines } = await npmTest(`leave('a', 3, 1, 0); process.exitCode = 1`)
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '3 passed, 2 failed, 0 skipped' })
  expect(lines).toContain('b ended without test results; see above.')
})

test('fails if Nx fails although every test passed, and if no test ran', async () => {
  const failed = await npmTest(`leave('a', 3, 0, 0); leave('b', 2, 0, 0); process.exitCode = 1`)
  expect({ code: failed.code, last: failed.lines.at(-1) }).toEqual({ code: 1, last: '5 passed, 1 failed, 0 skipped' })
  const empty = await npmTest(`leave('a', 0, 0, 0); leave('b', 0, 0, 0)`)
  expect(empty.code).toBe(1)
})

test('adds the totals that Nx restored for a cached result', async () => {
  const restored = join(folder, '.cache/test-totals/libs/b.json')
  mkdirSync(dirname(restored), { recursive: true })
  writeFileSync(restored, '{"passed":5,"failed":0,"skipped":0,"failedFiles":[]}')
  const { code, lines } = await npmTest(`leave('a', 3, 0, 0)`)
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '8 passed, 0 failed, 0 skipped' })
})

test('--e2e runs the end-to-end tests', async () => {
  const { code, lines } = await npmTest(
    `console.log(process.argv.slice(2).join(' ')); leave('a', 3, 0, 0); leave('b', 2, 0, 0)`,
    {
      args: ['--e2e'],
    },
  )
  expect(code).toBe(0)
  expect(lines[0]).toMatch(/^run-many -t e2e /)
  expect(lines[0]).not.toContain('--e2e')
})

const WITH_RELAY = {
  tasks: {
    tasks: { ...PLAN.tasks.tasks, relay: { target: { project: '@smsgw/relay' }, projectRoot: 'libs/relay' } },
  },
}

test('the tests of the relay start with the first other tests, and a failure of either run counts', async () => {
  const run = (ofRelay: string, ofOthers: string) =>
    npmTest(
      `console.log(process.argv.slice(2).join(' '))
       if (process.argv.includes('--projects=@smsgw/relay')) { leave('relay', 3, 0, 0); ${ofRelay} }
       else { leave('a', 1, 0, 0); leave('b', 2, 0, 0); ${ofOthers} }`,
      { plan: WITH_RELAY },
    )
  const { code, lines } = await run('', '')
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '6 passed, 0 failed, 0 skipped' })
  expect(lines.slice(0, 2).sort()).toEqual([
    'run-many -t test --output-style=stream --exclude=@smsgw/relay --parallel=2',
    'run-many -t test --output-style=stream --projects=@smsgw/relay',
  ])
  expect((await run('process.exitCode = 1', '')).code).toBe(1)
  expect((await run('', 'process.exitCode = 1')).code).toBe(1)
})

test('--affected tests the affected projects, and succeeds if there are none', async () => {
  const some = await npmTest(`console.log(process.argv.slice(2).join(' ')); leave('a', 3, 0, 0); leave('b', 2, 0, 0)`, {
    args: ['--affected', '--base=origin/main'],
  })
  expect(some.code).toBe(0)
  expect(some.lines[0]).toMatch(/^affected -t test .*--base=origin\/main$/)
  const none = await npmTest('', { args: ['--affected'], plan: { tasks: { tasks: {} } } })
  expect({ code: none.code, last: none.lines.at(-1) }).toEqual({ code: 0, last: '0 passed, 0 failed, 0 skipped' })
})

const FAILED_ONCE = { file: 'src/x.test.ts', passed: 1, failed: 1, skipped: 1 }

test('--repeat runs a failed file again, and reports it as unstable if it passes', async () => {
  const { code, lines } = await npmTest(
    `if (process.argv[2] === 'run') { console.log(process.argv.slice(2).join(' ')); leave('a', 3, 0, 0) }
     else { leave('a', 10, 1, 1, [${JSON.stringify(FAILED_ONCE)}]); leave('b', 2, 0, 0); process.exitCode = 1 }`,
    { args: ['--repeat'] },
  )
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      'run a:test src/x.test.ts --skip-nx-cache --output-style=stream',
      'UNSTABLE: libs/a/src/x.test.ts failed and then passed when it was repeated',
      '14 passed, 0 failed, 0 skipped',
    ],
  })
})

test.each([
  ['that fails again', `leave('a', 2, 1, 0)`],
  ['that ends without a result', ''],
  ['of which no test runs', `leave('a', 0, 0, 3)`],
  ['of which fewer tests pass', `leave('a', 1, 0, 2)`],
  ['that passes and exits with an error', `leave('a', 3, 0, 0); process.exitCode = 1`],
])('--repeat keeps the failure of a file %s', async (_, repeated) => {
  const { code, lines } = await npmTest(
    `if (process.argv[2] === 'run') { ${repeated} }
     else { leave('a', 10, 1, 1, [${JSON.stringify(FAILED_ONCE)}]); leave('b', 2, 0, 0); process.exitCode = 1 }`,
    { args: ['--repeat'] },
  )
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '12 passed, 1 failed, 1 skipped' })
})

test('--repeat keeps the failure of a project that failed without a failed test', async () => {
  const { code, lines } = await npmTest(
    `if (process.argv[2] === 'run') leave('a', 3, 0, 0)
     else { leave('a', 10, 1, 1, [${JSON.stringify(FAILED_ONCE)}]); leave('b', 2, 0, 0, [], 1); process.exitCode = 1 }`,
    { args: ['--repeat'] },
  )
  expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '14 passed, 1 failed, 0 skipped' })
  expect(lines).toContain('b failed, although none of its tests failed; see above.')
})

test('--repeat repeats nothing after more than three failures', async () => {
  const { lines } = await npmTest(
    `if (process.argv[2] === 'run') leave('a', 3, 0, 0)
     else { leave('a', 10, 4, 1, [${JSON.stringify({ ...FAILED_ONCE, failed: 4 })}]); leave('b', 2, 0, 0); process.exitCode = 1 }`,
    { args: ['--repeat'] },
  )
  expect(lines).toEqual(['12 passed, 4 failed, 1 skipped'])
})

test('without --repeat, a failed file is not repeated', async () => {
  const { code, lines } = await npmTest(
    `if (process.argv[2] === 'run') leave('a', 3, 0, 0)
     else { leave('a', 10, 1, 1, [${JSON.stringify(FAILED_ONCE)}]); leave('b', 2, 0, 0); process.exitCode = 1 }`,
  )
  expect({ code, lines }).toEqual({ code: 1, lines: ['12 passed, 1 failed, 1 skipped'] })
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s is passed to Nx, and no totals are printed', async (signal, code) => {
  const nx = `process.on('${signal}', () => { console.log('nx ends'); process.exit(1) }); setInterval(() => 0, 1000)`
  const result = await npmTest(`${nx}; console.log('nx runs')`, { signal })
  expect(result).toEqual({ code, lines: ['nx runs', 'nx ends'] })
})

interface Run {
  readonly args?: readonly string[]
  /** A signal that is sent after the script has started. */
  readonly signal?: NodeJS.Signals
  readonly plan?: object
}

/** Runs test.ts. Nx is replaced by a script. */
function npmTest(
  nx: string,
  { args = [], signal, plan = PLAN }: Run = {},
): Promise<{ code: number | null; lines: string[] }> {
  const script = `#!${process.execPath}
    const leave = (project, passed, failed, skipped, failedFiles = [], exitCode = 0) =>
      require('node:fs').writeFileSync(process.env.${TOTALS_FOLDER} + '/libs-' + project + '.json', JSON.stringify({ passed, failed, skipped, failedFiles, exitCode }))
    if (process.argv.includes('--graph=stdout')) console.log(${JSON.stringify(JSON.stringify(plan))})
    else { ${nx} }
  `
  writeFileSync(join(folder, 'nx'), script)
  chmodSync(join(folder, 'nx'), 0o755)
  const { PATH } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'test.ts'), ...args], {
    env: { ...process.env, PATH: `${folder}${delimiter}${PATH}` },
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    if (signal && stdout.includes('nx runs')) child.kill(signal)
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, lines: stdout.trim().split('\n') })))
}

function planned(name: string) {
  return { target: { project: name }, projectRoot: `libs/${name}` }
}
