// `npm run release`: builds a release from the present commit and signs it. Without `--key` it is a dry run: it signs
// with a temporary key, creates no tag, and lists what would prevent a real release. With `--key <id>` it also creates
// the signed tag v<version>; nothing is pushed or uploaded. RELEASE_SIGNING_KEY may hold the private key instead.
// `npm run release -- --prepare 0.2.0` writes a new version into all files.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { poolOf, writeAptRepository } from './release/apt-repository.ts'
import { baseImageOf, pinnedImage } from './release/base-image.ts'
import { buildRelease, checksumOf, differencesOf } from './release/build-release.ts'
import { changelogProblem, sectionOf } from './release/changelog.ts'
import { extractPackage } from './release/previous-release.ts'
import { provenanceOf, publishCommands } from './release/release-texts.ts'
import { withVersion } from './release/set-version.ts'
import { type Signer, signerFrom, signerWith, throwawaySigner } from './release/signer.ts'
import { migrationChecksums, type Release } from './rules/released-migrations.ts'
import { treeOfWorkingCopy } from './rules/repository-tree.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    prepare: { type: 'string' },
    key: { type: 'string' },
    into: { type: 'string', default: join(root, 'dist/release') },
    /** An apt repository. The packages of earlier releases in it remain available. */
    apt: { type: 'string' },
    architectures: { type: 'string', default: 'amd64,arm64' },
    /** True to build the container images too. */
    images: { type: 'boolean', default: false },
    'skip-checks': { type: 'boolean', default: false },
    'build-once': { type: 'boolean', default: false },
  },
})

if (values.prepare !== undefined) prepare(values.prepare)
else await release()

function prepare(version: string): void {
  const today = new Date().toISOString().slice(0, 10)
  for (const [file, text] of withVersion(treeOfWorkingCopy(root), version, today)) {
    writeFileSync(join(root, file), text)
    process.stdout.write(`changed ${file}\n`)
  }
  process.stdout.write(
    `Read CHANGELOG.md, run \`npm run reference\`, commit, then run: npm run release -- --key <id>\n`,
  )
}

async function release(): Promise<void> {
  const privateKey = process.env['RELEASE_SIGNING_KEY']
  const isDryRun = values.key === undefined && !privateKey
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const commit = git('rev-parse', 'HEAD')
  const tag = `v${version}`
  const base = values.images ? await pinnedImage(process.env['NODE_IMAGE'] || defaultBaseImage()) : undefined
  const problems = [...problemsOf(version, commit, tag), ...(base?.problem === undefined ? [] : [base.problem])]
  if (problems.length > 0 && !isDryRun) fail(problems)
  if (!values['skip-checks']) for (const script of ['check', 'test']) runScript(script)

  const into = resolve(values.into)
  rmSync(into, { recursive: true, force: true })
  const madeAt = new Date(Number(git('show', '--no-patch', '--format=%ct', commit)) * 1000)
  const build = { root, commit, version, madeAt, architectures: values.architectures.split(','), baseImage: base?.name }
  buildRelease(build, into)
  const unlike = values['build-once'] ? ['not compared: built once'] : compareWithSecond(build, into)
  writeFileSync(join(into, 'provenance.json'), provenanceOf({ ...build, files: checksums(into) }))
  writeData(into, { version, commit })
  const notes = sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (notes !== undefined) writeFileSync(join(into, 'release-notes.md'), `${notes}\n`)

  const signer = privateKey ? signerFrom(privateKey) : values.key ? signerWith(values.key) : throwawaySigner()
  try {
    sign(into, signer, madeAt)
  } finally {
    signer.close()
  }
  writeFileSync(
    join(into, 'publish.txt'),
    publishCommands(into, version)
      .map((line) => `${line}\n`)
      .join(''),
  )
  report(into, unlike)
  if (unlike.length > 0 && !values['build-once']) fail(unlike.map((file) => `two builds differ: ${file}`))
  if (isDryRun) {
    for (const problem of problems) process.stdout.write(`a real release would be refused: ${problem}\n`)
    process.stdout.write(`dry run: signed with a temporary key, no tag created\n`)
  } else tagCommit(tag, commit)
}

function problemsOf(version: string, commit: string, tag: string): string[] {
  const tagged = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${tag}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  })
  const changelog = changelogProblem(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['there are changes that are not committed']),
    ...(changelog === undefined ? [] : [changelog]),
    ...(tagged.status === 0 && tagged.stdout.trim() !== commit ? [`the tag ${tag} names another commit`] : []),
  ]
}

function defaultBaseImage(): string {
  return baseImageOf(readFileSync(join(root, '.repo/packaging/container/Dockerfile'), 'utf8'))
}

/**
 * Writes the folder for `apps/e2e/releases`. Does nothing if the release is for another processor, because this
 * machine cannot start its programs.
 */
function writeData(into: string, release: { readonly version: string; readonly commit: string }): void {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const deb = readdirSync(into).find((name) => name.endsWith(`_${architecture}.deb`))
  if (deb === undefined) return
  const folder = join(into, 'data', release.version)
  writeReleaseData(root, release, join(into, deb), folder)
  process.stdout.write(
    `after the release, copy ${relative('.', folder)} to apps/e2e/releases/${release.version} and commit it\n`,
  )
}

function compareWithSecond(build: Parameters<typeof buildRelease>[0], into: string): string[] {
  const second = mkdtempSync(join(tmpdir(), 'smsgw-second-build-'))
  try {
    buildRelease(build, second)
    return differencesOf(into, second)
  } finally {
    rmSync(second, { recursive: true, force: true })
  }
}

function sign(into: string, signer: Signer, madeAt: Date): void {
  const apt = resolve(values.apt ?? join(into, 'apt'))
  mkdirSync(poolOf(apt), { recursive: true })
  for (const file of readdirSync(into).filter((name) => name.endsWith('.deb')))
    copyFileSync(join(into, file), join(poolOf(apt), file))
  writeAptRepository({ folder: apt, signer, madeAt })
  writeFileSync(join(apt, 'smsgw.asc'), signer.publicKey())
  writeFileSync(join(into, 'smsgw.asc'), signer.publicKey())
  const sums = [...checksums(into)].map(([name, sum]) => `${sum}  ${name}\n`)
  writeFileSync(join(into, 'SHA256SUMS'), sums.join(''))
  signer.detach(join(into, 'SHA256SUMS'), join(into, 'SHA256SUMS.asc'))
}

function checksums(folder: string): Map<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(files.map(({ name }) => [name, checksumOf(join(folder, name))]))
}

/** In continuous integration, the tag exists already. */
function tagCommit(tag: string, commit: string): void {
  if (git('tag', '--list', tag) !== '') return
  if (values.key === undefined) fail([`the commit has no tag ${tag}: create it, or run with --key`])
  git('tag', '--sign', '--local-user', values.key ?? '', '--message', `Release ${tag}`, tag, commit)
  process.stdout.write(`created the signed tag ${tag}; publish it with: git push origin ${tag}\n`)
}

function report(into: string, unlike: readonly string[]): void {
  for (const [name] of checksums(into)) {
    const kilobytes = Math.ceil(statSync(join(into, name)).size / 1000)
    process.stdout.write(`${relative('.', join(into, name))} (${kilobytes} kB)\n`)
  }
  const compared = unlike.length === 0 ? 'two builds are the same byte for byte' : unlike.join('\n')
  process.stdout.write(
    `${compared}\nto publish the release, run these commands in ${relative('.', into)} (publish.txt):\n`,
  )
  process.stdout.write(readFileSync(join(into, 'publish.txt'), 'utf8'))
}

function runScript(script: string): void {
  const { status } = spawnSync('npm', ['run', script], { cwd: root, stdio: 'inherit' })
  if (status !== 0) fail([`npm run ${script} failed`])
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function fail(problems: readonly string[]): never {
  process.stderr.write(`${problems.map((problem) => `release: ${problem}`).join('\n')}\n`)
  process.exit(1)
}

/**
 * Writes the folder of a release for `apps/e2e/releases`, so that tests of later releases can open its data: a backup
 * that the packaged gateway made, the answers of its API, and the checksums of its migrations.
 */
function writeReleaseData(root: string, release: Omit<Release, 'migrations'>, deb: string, into: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-release-data-'))
  try {
    const program = extractPackage(deb, join(folder, 'package'))
    const script = join(root, 'apps/e2e/upgrade/write-fixture.ts')
    execFileSync(process.execPath, [script, '--program', program, '--into', into], { stdio: 'inherit' })
    const migrations = migrationChecksums(treeOfWorkingCopy(root))
    writeFileSync(join(into, 'release.json'), `${JSON.stringify({ ...release, migrations }, undefined, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
