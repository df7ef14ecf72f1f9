import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockfile } from './lockfile.ts'
import { treeOfLiterals } from './repository-tree.ts'

const root = { devDependencies: { nx: '23.2.1' } }
const sms = { version: '0.1.0' }
const modem = { dependencies: { '@smsgw/sms': '0.1.0', zod: '4.6.7' } }
const packages = {
  '': root,
  'libs/sms': sms,
  'libs/modem': modem,
  'node_modules/@smsgw/sms': { resolved: 'libs/sms', link: true },
  'node_modules/nx': { version: '23.2.1', integrity: 'sha512-a' },
  'node_modules/zod': { version: '3.1.0', integrity: 'sha512-b' },
  'libs/modem/node_modules/zod': { version: '4.6.7', integrity: 'sha512-c' },
  'node_modules/nx/node_modules/inner': { version: '1.0.0', inBundle: true },
}

function problems(changedManifests: Record<string, object>, changedPackages: Record<string, object> = {}): string[] {
  const manifests = { '': root, 'libs/sms': sms, 'libs/modem': modem, ...changedManifests }
  const files = Object.entries(manifests).map(([folder, manifest]): [string, string] => [
    folder ? `${folder}/package.json` : 'package.json',
    JSON.stringify(manifest),
  ])
  const lock = JSON.stringify({ packages: { ...packages, ...changedPackages } })
  return lockfile(treeOfLiterals({ ...Object.fromEntries(files), 'package-lock.json': lock })).map((v) => v.problem)
}

test('accepts a lockfile that matches the manifests', () => {
  expect(problems({})).toEqual([])
})

test('refuses a dependency that is missing in the lockfile or has another version', () => {
  expect(problems({ 'libs/sms': { ...sms, devDependencies: { vitest: '4.1.12' } } })).toEqual([
    'has no vitest in devDependencies of libs/sms, but package.json has vitest 4.1.12',
    'installs vitest (nothing) for libs/sms, but package.json has 4.1.12',
  ])
  expect(problems({ '': { devDependencies: { nx: '23.3.0' } } })).toEqual([
    'has nx 23.2.1 in devDependencies of the root, but package.json has nx 23.3.0',
    'installs nx 23.2.1 for the root, but package.json has 23.3.0',
  ])
})

test('refuses a dependency that package.json no longer has', () => {
  expect(problems({ '': {} })).toEqual(['has nx 23.2.1 in devDependencies of the root, but package.json has no nx'])
})

test('refuses a lockfile that lacks a project or contains a removed project', () => {
  expect(problems({ 'apps/relay': {} })).toEqual(['has no entry for apps/relay'])
  expect(problems({}, { 'apps/gone': {} })).toEqual(['lists apps/gone, which has no package.json'])
  expect(lockfile(treeOfLiterals({}))).toEqual([{ file: 'package-lock.json', problem: 'is missing' }])
})

test('refuses the name of a registry and a missing checksum', () => {
  const resolved = 'https://registry.example/nx.tgz'
  expect(problems({}, { 'node_modules/nx': { version: '23.2.1', integrity: 'sha512-a', resolved } })).toEqual([
    `node_modules/nx has a download URL in \`resolved\`, which differs between registries: ${resolved}`,
  ])
  expect(problems({}, { 'node_modules/nx': { version: '23.2.1' } })).toEqual(['node_modules/nx has no checksum'])
})

test('refuses an install script, except of packages that work without their script', () => {
  const locked = { version: '23.2.1', integrity: 'sha512-a', hasInstallScript: true }
  expect(problems({}, { 'node_modules/nx': locked })).toEqual([])
  expect(problems({}, { 'node_modules/a/node_modules/b': locked })).toEqual([
    'node_modules/a/node_modules/b has an install script: use another package, or show that it works without the script',
  ])
})

test('install scripts are disabled', () => {
  expect(readFileSync(join(import.meta.dirname, '../../.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
})
