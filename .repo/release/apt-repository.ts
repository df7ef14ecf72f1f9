import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Signer } from './signer.ts'

export interface AptRepository {
  /** The folder of the repository. Packages of earlier releases in its `pool` stay available. */
  readonly folder: string
  readonly signer: Signer
  readonly madeAt: Date
}

const ARCHITECTURES = ['amd64', 'arm64']
const SUITE = 'dists/stable'

/**
 * Writes the index of a repository for apt as static files: lists of the packages in `pool`, their checksums, and the
 * signature that apt demands. Any web server can serve the folder.
 */
export function writeAptRepository({ folder, signer, madeAt }: AptRepository): void {
  const suite = join(folder, SUITE)
  rmSync(suite, { recursive: true, force: true })
  const entries = packagesIn(folder)
  const lists = ARCHITECTURES.flatMap((architecture) => {
    const text = entries.filter((entry) => entry.architecture === architecture).map((entry) => entry.text)
    const name = `main/binary-${architecture}/Packages`
    mkdirSync(join(suite, `main/binary-${architecture}`), { recursive: true })
    writeFileSync(join(suite, name), text.join('\n'))
    writeFileSync(join(suite, `${name}.gz`), gzipSync(text.join('\n'), { level: 9 }))
    return [name, `${name}.gz`]
  })
  const release = join(suite, 'Release')
  writeFileSync(release, releaseText(suite, lists, madeAt))
  signer.clearsign(release, join(suite, 'InRelease'))
  signer.detach(release, join(suite, 'Release.gpg'))
}

interface PackageEntry {
  readonly architecture: string
  readonly text: string
}

/** Returns the folder of a package in the repository. */
export function poolOf(folder: string): string {
  return join(folder, 'pool/main/s/smsgw')
}

function packagesIn(folder: string): PackageEntry[] {
  const pool = poolOf(folder)
  const files = readdirSync(pool).filter((file) => file.endsWith('.deb'))
  return files.sort().map((file) => {
    const path = join(pool, file)
    const control = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' }).trimEnd()
    const content = readFileSync(path)
    const place = path.slice(folder.length + 1)
    return {
      architecture: /^Architecture: (.+)$/m.exec(control)?.[1] ?? '',
      text: `${control}\nFilename: ${place}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`,
    }
  })
}

/** https://wiki.debian.org/DebianRepository/Format#A.22Release.22_files */
function releaseText(suite: string, lists: readonly string[], madeAt: Date): string {
  const sums = lists.map((name) => {
    const content = readFileSync(join(suite, name))
    return ` ${sha256(content)} ${statSync(join(suite, name)).size} ${name}`
  })
  return [
    'Origin: smsgw',
    'Label: smsgw',
    'Suite: stable',
    'Codename: stable',
    `Date: ${madeAt.toUTCString().replace('GMT', 'UTC')}`,
    `Architectures: ${ARCHITECTURES.join(' ')}`,
    'Components: main',
    'Description: SMS gateway',
    'SHA256:',
    ...sums,
    '',
  ].join('\n')
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
