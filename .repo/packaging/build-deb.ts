import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Architecture } from './app-bundle.ts'
import { assembleApps } from './assemble-apps.ts'
import { lockedPackage } from './locked-package.ts'
import { packagedUnit } from './packaged-unit.ts'

export interface DebOptions {
  readonly architecture: Architecture
  readonly version: string
  /** The folder that contains the output of `npm run build`. */
  readonly built: string
  /** The folder for the package. */
  readonly into: string
  /** The level of xz, from 0 (quick and large) to 9 (slow and small). */
  readonly compression?: number
}

const root = resolve(import.meta.dirname, '../..')
const debian = join(import.meta.dirname, 'debian')
/** The programs with a service. */
const APPS = ['gateway', 'relay', 'agent', 'bridge']
/** The services, and the folder of their units. */
const SERVICES = [...APPS.map((app) => [app, app] as const), ['router', 'relay'] as const]
const DEBIAN_NAMES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Builds the Debian package for machines of that architecture, including Node, and returns the path of the package. */
export function buildDeb({ architecture, version, built, into, compression = 6 }: DebOptions): string {
  const staging = mkdtempSync(join(tmpdir(), 'smsgw-deb-'))
  try {
    chmodSync(staging, 0o755)
    layProgram(join(staging, 'usr/lib/smsgw'), { architecture, version, built })
    laySystemFiles(staging)
    layDocuments(join(staging, 'usr/share/doc/smsgw'), { architecture, version, built })
    layControl(staging, { architecture, version })
    openForReading(staging)
    mkdirSync(into, { recursive: true })
    const file = join(into, `smsgw_${version}_${DEBIAN_NAMES[architecture]}.deb`)
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${compression}`, '--build', staging, file], {
      stdio: 'pipe',
    })
    return file
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

type Program = Omit<DebOptions, 'into'>

function layProgram(folder: string, { architecture, version, built }: Program): void {
  const apps = [...APPS, 'emulator', 'smsgw']
  assembleApps(root, folder, { apps, architecture, built })
  for (const app of apps) rmSync(join(folder, app, 'licences.txt'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type: 'module', private: true, version })}\n`)
  mkdirSync(join(folder, 'bin'))
  cpSync(join(lockedPackage(root, `node-linux-${architecture}`), 'bin/node'), join(folder, 'bin/node'))
}

/** The folder in which each shell looks for the completion of a command. */
const COMPLETIONS = [
  ['bash', 'bash-completion/completions/smsgw'],
  ['zsh', 'zsh/vendor-completions/_smsgw'],
  ['fish', 'fish/vendor_completions.d/smsgw.fish'],
] as const

function laySystemFiles(staging: string): void {
  for (const [service, app] of SERVICES) {
    const unit = `apps/${app}/system/smsgw-${service}.service`
    write(join(staging, 'usr/lib/systemd/system', basename(unit)), packagedUnit(readFileSync(join(root, unit), 'utf8')))
    write(join(staging, `usr/share/smsgw/${service}.env`), readFileSync(join(debian, `settings/${service}.env`)))
  }
  write(join(staging, 'usr/bin/smsgw'), readFileSync(join(debian, 'smsgw')), 0o755)
  for (const [shell, file] of COMPLETIONS) {
    write(
      join(staging, 'usr/share', file),
      execFileSync(process.execPath, [join(staging, 'usr/lib/smsgw/smsgw/main.js'), 'completion', shell]),
    )
  }
  mkdirSync(join(staging, 'var/lib/smsgw'), { recursive: true })
}

function layDocuments(folder: string, { architecture, version, built }: Program): void {
  write(join(folder, 'copyright'), readFileSync(join(debian, 'copyright')))
  write(join(folder, 'changelog.gz'), packed(changelog(version)))
  const node = lockedPackage(root, `node-linux-${architecture}`)
  write(join(folder, 'licence-node.txt.gz'), packed(readFileSync(join(node, 'LICENSE'))))
  for (const app of [...APPS, 'emulator']) {
    write(join(folder, `licences-${app}.txt.gz`), packed(readFileSync(join(built, app, 'licences.txt'))))
  }
  write(join(folder, '../../man/man1/smsgw.1.gz'), packed(readFileSync(join(debian, 'smsgw.1'))))
  write(join(folder, '../../lintian/overrides/smsgw'), readFileSync(join(debian, 'lintian-overrides')))
}

function changelog(version: string): string {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  // All files get the time of the release. So two builds of a release are the same.
  const made = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)
  const date = made.toUTCString().replace('GMT', '+0000')
  return `smsgw (${version}) stable; urgency=medium\n\n  * Release ${version}.\n\n -- ${MAINTAINER}  ${date}\n`
}

const MAINTAINER = 'smsgw maintainers <smsgw@users.noreply.github.com>'

function layControl(staging: string, { architecture, version }: Pick<Program, 'architecture' | 'version'>): void {
  const folder = join(staging, 'DEBIAN')
  for (const script of readdirSync(join(debian, 'control'))) {
    write(join(folder, script), readFileSync(join(debian, 'control', script)), 0o755)
  }
  const files = filesBelow(staging).filter(
    (file) => !file.startsWith('DEBIAN/') && statSync(join(staging, file)).isFile(),
  )
  const sums = execFileSync('md5sum', files, { cwd: staging, encoding: 'utf8', maxBuffer: 64 << 20 })
  write(join(folder, 'md5sums'), sums)
  const kibibytes = files.reduce((sum, file) => sum + Math.ceil(statSync(join(staging, file)).size / 1024), 0)
  const control = readFileSync(join(debian, 'control.txt'), 'utf8')
    .replace('@version@', version)
    .replace('@architecture@', DEBIAN_NAMES[architecture])
    .replace('@size@', String(kibibytes))
    .replace('@maintainer@', MAINTAINER)
  write(join(folder, 'control'), control)
}

/**
 * Sets the modes of files and folders. Otherwise they would depend on the umask of this process and on npm packages.
 */
function openForReading(staging: string): void {
  for (const file of filesBelow(staging)) {
    const place = join(staging, file)
    const stats = statSync(place)
    if (stats.isDirectory()) chmodSync(place, 0o755)
    else chmodSync(place, isProgram(file) ? 0o755 : 0o644)
  }
}

function isProgram(file: string): boolean {
  return /^DEBIAN\/(?:post|pre)|^usr\/bin\/|\/bin\/[^/]+$/.test(file)
}

/** Returns the files and folders, but not the symbolic links. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Compresses without a time stamp, so that the same input always results in the same file. */
function packed(text: string | Buffer): Buffer {
  return gzipSync(text, { level: 9 })
}

function write(file: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}
