import { expect, test } from 'vitest'
import { dependencyLicences } from './dependency-licences.ts'
import { treeOfLiterals } from './repository-tree.ts'

function problems(packages: object): string[] {
  return dependencyLicences(treeOfLiterals({ 'package-lock.json': JSON.stringify({ packages }) })).map((v) => v.problem)
}

test('refuses a licence that is not listed, and a missing one', () => {
  expect(problems({ 'node_modules/a': { license: 'AGPL-3.0' }, 'node_modules/b/node_modules/@c/d': {} })).toEqual([
    'node_modules/a has the licence AGPL-3.0: read the licence, then allow it in .repo/rules/dependency-licences.ts, or remove the package',
    'node_modules/b/node_modules/@c/d has the licence (none): read the licence, then allow it in .repo/rules/dependency-licences.ts, or remove the package',
  ])
})

test('accepts listed licences, development tools and our own projects', () => {
  const packages = {
    '': {},
    'apps/relay': {},
    'node_modules/a': { license: 'MIT' },
    'node_modules/tool': { license: 'AGPL-3.0', dev: true },
    'node_modules/@smsgw/relay': { link: true },
    'node_modules/seq-queue': {},
  }
  expect(problems(packages)).toEqual([])
})
