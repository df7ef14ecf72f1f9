import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { compareVersions, debianVersion, previousRelease } from './previous-release.ts'

test('orders versions by number, with a pre-release before its release', () => {
  const ordered = ['0.1.0-pre.1', '0.1.0-pre.2', '0.1.0', '0.2.0', '0.10.0', '1.0.0-pre.1', '1.0.0']
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
})

test('Debian orders the versions of packages in the same way', () => {
  const older = debianVersion('0.1.0-pre.1')
  expect(() => execFileSync('dpkg', ['--compare-versions', older, 'lt', '0.1.0'])).not.toThrow()
  expect(() => execFileSync('dpkg', ['--compare-versions', older, 'gt', '0.1.0'])).toThrow()
})

test('the data of the newest release contains its commit and its migrations', () => {
  const root = resolve(import.meta.dirname, '../..')
  const { version, commit, migrations } = previousRelease(root)
  expect(version).toMatch(/^\d+\.\d+\.\d+(-pre\.\d+)?$/)
  expect(commit).toMatch(/^[0-9a-f]{40}$/)
  expect(Object.keys(migrations)).toContain('0001_data_model')
})
