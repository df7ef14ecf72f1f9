import { expect, test } from 'vitest'
import { importTable } from './import-table.ts'
import { treeOfLiterals } from './repository-tree.ts'

const architecture = `# x

## Who may import whom

| project | imports | tests also import |
|---|---|---|
| \`sms\` | – | – |
| \`modem\` | \`sms\` | \`virtual-modem\` |
| \`virtual-modem\` | \`sms\` | – |

## Next
| \`not-a-row\` | |
`

function repository(changes: Record<string, string> = {}) {
  return treeOfLiterals({
    'docs/architecture.md': architecture,
    'libs/sms/package.json': '{}',
    'libs/virtual-modem/package.json': '{"dependencies":{"@smsgw/sms":"0.1.0"},"devDependencies":{"vitest":"1"}}',
    'libs/modem/package.json':
      '{"dependencies":{"@smsgw/sms":"0.1.0"},"devDependencies":{"@smsgw/virtual-modem":"0.1.0"}}',
    ...changes,
  })
}

const problems = (changes?: Record<string, string>) =>
  importTable(repository(changes)).map((v) => `${v.file}: ${v.problem}`)

test('accepts manifests that match the table', () => {
  expect(problems()).toEqual([])
})

test('refuses a dependency that is missing in the table', () => {
  const manifest = '{"dependencies":{"@smsgw/sms":"0.1.0","@smsgw/modem":"0.1.0"}}'
  expect(problems({ 'libs/virtual-modem/package.json': manifest })).toEqual([
    'libs/virtual-modem/package.json: dependencies lists modem, which the import table does not allow',
  ])
})

test('refuses a dependency in code if the table permits it only for tests', () => {
  const manifest = '{"dependencies":{"@smsgw/sms":"0.1.0","@smsgw/virtual-modem":"0.1.0"}}'
  expect(problems({ 'libs/modem/package.json': manifest })).toEqual([
    'libs/modem/package.json: dependencies lists virtual-modem, which the import table does not allow',
    'libs/modem/package.json: devDependencies does not list virtual-modem, which the import table names',
  ])
})

test('refuses a dependency that is missing from the manifest', () => {
  expect(problems({ 'libs/virtual-modem/package.json': '{}' })).toEqual([
    'libs/virtual-modem/package.json: dependencies does not list sms, which the import table names',
  ])
})

test('refuses a project without a row, and a row without a project', () => {
  expect(problems({ 'apps/relay/package.json': '{}' })).toEqual([
    'docs/architecture.md: relay is missing from the import table',
  ])
  const withoutSms = treeOfLiterals({
    'docs/architecture.md': architecture.replace('| `modem` | `sms` | `virtual-modem` |\n', ''),
    'libs/virtual-modem/package.json': '{"dependencies":{"@smsgw/sms":"0.1.0"}}',
  })
  expect(importTable(withoutSms).map((v) => v.problem)).toEqual(['the import table names sms, which does not exist'])
})

test('refuses a lib that depends on an app', () => {
  const changes = {
    'docs/architecture.md': architecture.replace('| `sms` | – | – |', '| `sms` | `relay` | – |\n| `relay` | – | – |'),
    'apps/relay/package.json': '{}',
    'libs/sms/package.json': '{"dependencies":{"@smsgw/relay":"0.1.0"}}',
  }
  expect(problems(changes)).toEqual(['libs/sms/package.json: a lib may not depend on the app relay'])
})

test('refuses a document without the table, and does not treat the table as empty', () => {
  expect(problems({ 'docs/architecture.md': '# x' })).toEqual([
    'docs/architecture.md: has no table under "## Who may import whom"',
  ])
})
