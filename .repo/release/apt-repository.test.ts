import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { poolOf, writeAptRepository } from './apt-repository.ts'
import { type Signer, throwawaySigner } from './signer.ts'

const missing = ['apt-get', 'dpkg-deb', 'gpg', 'gpgv'].filter((name) => spawnSync(name, ['--version']).status !== 0)
const madeAt = new Date('2026-11-20T12:00:00Z')

let folder: string
let signer: Signer

beforeAll(() => {
  if (missing.length > 0) return
  signer = throwawaySigner()
  folder = mkdtempSync(join(tmpdir(), 'smsgw-apt-'))
  mkdirSync(poolOf(join(folder, 'repository')), { recursive: true })
  for (const version of ['1.0.0', '1.1.0']) for (const architecture of ['amd64', 'arm64']) pack(version, architecture)
  publish()
  writeFileSync(join(folder, 'key.asc'), signer.publicKey())
})

afterAll(() => {
  if (missing.length > 0) return
  signer.close()
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(missing.length > 0)('apt accepts the repository and offers the newest version for the architecture', () => {
  for (const architecture of ['amd64', 'arm64']) {
    expect(apt(architecture, 'update')).toMatchObject({ status: 0, errors: '' })
    const { output } = apt(architecture, 'download', 'smsgw', '--print-uris')
    expect(output).toContain(`smsgw_1.1.0_${architecture}.deb`)
    expect(apt(architecture, 'download', 'smsgw=1.0.0').status).toBe(0)
  }
})

test.skipIf(missing.length > 0)('apt refuses a repository that was signed with another key', () => {
  const other = throwawaySigner()
  try {
    writeAptRepository({ folder: join(folder, 'repository'), signer: other, madeAt })
    expect(apt('amd64', 'update')).toMatchObject({ errors: expect.stringContaining('NO_PUBKEY') })
  } finally {
    other.close()
    publish()
  }
})

test.skipIf(missing.length > 0)('apt refuses a changed list of packages, and a changed package', () => {
  const list = join(folder, 'repository/dists/stable/main/binary-amd64/Packages')
  for (const file of [list, `${list}.gz`]) writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('\n')]))
  // Deletes the lists, because apt does not read a list again if its signature has not changed.
  rmSync(join(folder, 'machine-amd64'), { recursive: true })
  expect(apt('amd64', 'update').errors).toMatch(/Hash Sum mismatch|unexpected size/)
  publish()
  expect(apt('amd64', 'update').status).toBe(0)
  const deb = join(poolOf(join(folder, 'repository')), 'smsgw_1.1.0_amd64.deb')
  const content = readFileSync(deb)
  writeFileSync(deb, Buffer.concat([content, Buffer.from('\n')]))
  expect(apt('amd64', 'download', 'smsgw')).toMatchObject({ status: 100 })
  writeFileSync(deb, content)
})

test.skipIf(missing.length > 0)('the same packages result in the same index', () => {
  const index = () => readFileSync(join(folder, 'repository/dists/stable/Release'), 'utf8')
  const before = index()
  publish()
  expect(index()).toBe(before)
  expect(before).toContain('Date: Fri, 20 Nov 2026 12:00:00 UTC')
})

function publish(): void {
  writeAptRepository({ folder: join(folder, 'repository'), signer, madeAt })
}

/** Builds a package that has only a control file. */
function pack(version: string, architecture: string): void {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'DEBIAN'), { recursive: true })
  writeFileSync(
    join(source, 'DEBIAN/control'),
    `Package: smsgw\nVersion: ${version}\nArchitecture: ${architecture}\nMaintainer: nobody <nobody@example.org>\nDescription: a test\n`,
  )
  const file = join(poolOf(join(folder, 'repository')), `smsgw_${version}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', source, file], { stdio: 'pipe' })
}

/** Runs apt with its own folders. So apt neither reads nor changes the packages of this machine. */
function apt(architecture: string, ...args: string[]) {
  const own = join(folder, `machine-${architecture}`)
  for (const name of ['lists/partial', 'cache/archives/partial', 'etc/preferences.d', 'etc/sources.list.d'])
    mkdirSync(join(own, name), { recursive: true })
  const source = `deb [signed-by=${join(folder, 'key.asc')}] file:${join(folder, 'repository')} stable main\n`
  writeFileSync(join(own, 'etc/sources.list'), source)
  writeFileSync(join(own, 'status'), '')
  const options = {
    'Dir::Etc': join(own, 'etc'),
    'Dir::State': own,
    'Dir::State::status': join(own, 'status'),
    'Dir::Cache': join(own, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
  }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const { status, stdout, stderr } = spawnSync('apt-get', ['--quiet', ...settings, ...args], {
    cwd: own,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  })
  return { status, output: stdout, errors: stderr }
}
