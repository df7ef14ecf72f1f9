import { expect, test } from 'vitest'
import { exactVersions } from './exact-versions.ts'
import { treeOfLiterals } from './repository-tree.ts'

const problems = (changes: Record<string, string> = {}) =>
  exactVersions(
    treeOfLiterals({
      'package.json': '{"devDependencies":{"nx":"23.2.1"}}',
      'libs/sms/package.json': '{"version":"0.1.0"}',
      'libs/modem/package.json': '{"dependencies":{"@smsgw/sms":"0.1.0","zod":"4.6.7-beta.1"}}',
      ...changes,
    }),
  ).map((violation) => `${violation.file}: ${violation.problem}`)

test('accepts exact versions', () => {
  expect(problems()).toEqual([])
})

test.each(['^4.6.7', '~4.6.7', '4', '4.x', '*', 'latest', '>=4.6.7', 'file:../zod', 'github:colinhacks/zod'])(
  'refuses %s in every list of dependencies',
  (version) => {
    for (const key of ['dependencies', 'devDependencies', 'optionalDependencies'])
      expect(problems({ 'package.json': JSON.stringify({ [key]: { zod: version } }) })).toEqual([
        `package.json: zod "${version}" is not one exact version`,
      ])
  },
)

test('refuses a wrong version of a project in the repository', () => {
  expect(problems({ 'libs/modem/package.json': '{"dependencies":{"@smsgw/sms":"0.2.0"}}' })).toEqual([
    'libs/modem/package.json: @smsgw/sms "0.2.0" is not 0.1.0, the version of the project',
  ])
})
