import { expect, test } from 'vitest'
import { projects } from './projects.ts'
import { treeOfLiterals } from './repository-tree.ts'

const script = '"scripts":{"test":"vitest run --config ../../.config/vitest.ts"}'
const target = '"nx":{"targets":{"test":{"executor":"nx:run-commands","cache":true}}}'
const modem = `{"name":"@smsgw/modem",${script},${target},"dependencies":{"@smsgw/sms":"0.1.0"},"devDependencies":{"@smsgw/virtual-modem":"0.1.0"}}`
const good: Record<string, string> = {
  '.config/tsconfig.json': '{"references":[{"path":"../libs/sms"},{"path":"../libs/modem"}]}',
  'libs/sms/package.json': '{"name":"@smsgw/sms"}',
  'libs/sms/tsconfig.json': '{}',
  'libs/modem/package.json': modem,
  'libs/modem/tsconfig.json': '{"references":[{"path":"../sms"}]}',
  'libs/modem/src/modem.test.ts': '',
}

function problems(changes: Record<string, string>, without?: string): string[] {
  const files = { ...good, ...changes }
  if (without) delete files[without]
  return projects(treeOfLiterals(files)).map((v) => `${v.file}: ${v.problem}`)
}

test('accepts complete projects; a dependency that only tests use needs no reference', () => {
  expect(problems({})).toEqual([])
})

test('refuses a project that is never compiled', () => {
  expect(problems({ '.config/tsconfig.json': '{"references":[{"path":"../libs/sms"}]}' })).toEqual([
    '.config/tsconfig.json: does not reference libs/modem',
  ])
  expect(problems({}, 'libs/modem/tsconfig.json')).toEqual(['libs/modem: has no tsconfig.json'])
})

test('refuses a folder without a manifest and a reference without a folder', () => {
  expect(problems({ 'apps/relay/src/main.ts': '', 'apps/relay/tsconfig.json': '{}' })).toEqual([
    'apps/relay: has no package.json',
  ])
  const references = '{"references":[{"path":"../libs/sms"},{"path":"../libs/modem"},{"path":"../apps/gone"}]}'
  expect(problems({ '.config/tsconfig.json': references })).toEqual([
    '.config/tsconfig.json: references apps/gone, which does not exist',
  ])
})

test('refuses references that differ from the dependencies', () => {
  expect(problems({ 'libs/modem/tsconfig.json': '{}' })).toEqual([
    'libs/modem/tsconfig.json: does not reference sms, on which the project depends',
  ])
  expect(problems({ 'libs/sms/tsconfig.json': '{"references":[{"path":"../modem"}]}' })).toEqual([
    'libs/sms/tsconfig.json: references modem, on which the project does not depend',
  ])
})

test('refuses tests that npm test does not run, or runs with another command', () => {
  const problem = 'has tests, so its Nx target "test" must have only the executor nx:run-commands'
  const wrong = [
    '"nx":{"targets":{}}',
    '"nx":{"targets":{"test":{}}}',
    '"nx":{"targets":{"test":{"executor":"nx:run-commands","options":{"command":"vitest run"}}}}',
    '"nx":{"targets":{"test":{"executor":"nx:noop"}}}',
  ]
  for (const instead of wrong)
    expect(problems({ 'libs/modem/package.json': modem.replace(target, instead) })).toEqual([
      `libs/modem/package.json: ${problem}`,
    ])
})

test('refuses tests that npm test in the folder of the project does not run', () => {
  const problem = 'has tests, so its test script must be "vitest run --config ../../.config/vitest.ts"'
  for (const instead of ['"scripts":{}', '"scripts":{"test":"vitest run"}'])
    expect(problems({ 'libs/modem/package.json': modem.replace(script, instead) })).toEqual([
      `libs/modem/package.json: ${problem}`,
    ])
})

test('refuses tests of whole programs without the script that npm run e2e calls', () => {
  const added = { 'libs/modem/src/main.process.test.ts': '' }
  const e2e = 'vitest run --mode e2e --config ../../.config/vitest.ts'
  expect(problems(added)).toEqual([`libs/modem/package.json: has process tests, so its e2e script must be "${e2e}"`])
  const withBoth = modem.replace(script, `${script.slice(0, -1)},"e2e":"${e2e}"}`)
  expect(problems({ ...added, 'libs/modem/package.json': withBoth })).toEqual([])
})

test('refuses a name that differs from the folder', () => {
  expect(problems({ 'libs/sms/package.json': '{"name":"@smsgw/codec"}' })).toEqual([
    'libs/sms/package.json: its name must be @smsgw/sms, like its folder',
  ])
})
