// `node .repo/packaging/container/build-base-image.ts localhost/node:24 [amd64] [arm64]`: builds a base image on a
// machine that cannot reach a registry. It contains packages of Debian, the Node of package-lock.json and the npm of
// this machine. Needs root, mmdebstrap and buildah. Another architecture also needs qemu-user-static and arch-test.
// Then:
//
//   NODE_IMAGE=localhost/node:24 npm run images -- amd64 arm64
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Architecture, architectureOf } from '../app-bundle.ts'
import { lockedPackage } from '../locked-package.ts'

const root = resolve(import.meta.dirname, '../../..')
const [image, ...names] = process.argv.slice(2)
if (image === undefined) throw new Error('usage: build-base-image.ts <image> [amd64] [arm64]')

// Deletes the image or the list of images of an earlier run.
for (const kind of ['manifest', 'image']) spawnSync('podman', [kind, 'rm', image], { stdio: 'ignore' })
execFileSync('buildah', ['manifest', 'create', image], { stdio: ['ignore', 'ignore', 'inherit'] })
for (const architecture of (names.length > 0 ? names : [process.arch]).map(architectureOf)) {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-base-'))
  try {
    fillFolder(folder, architecture)
    addToManifest(folder, image, debianName(architecture))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  process.stdout.write(`added ${debianName(architecture)} to ${image}\n`)
}

/** Fills the folder like the official image of Node: with Node, npm, bash and the essential packages of Debian. */
function fillFolder(folder: string, architecture: Architecture): void {
  const archive = `${folder}.tar`
  try {
    const options = [
      '--variant=minbase',
      `--architectures=${debianName(architecture)}`,
      '--include=ca-certificates,libstdc++6',
    ]
    execFileSync('mmdebstrap', [...options, 'bookworm', archive], { stdio: ['ignore', 'ignore', 'inherit'] })
    execFileSync('tar', ['--extract', '--file', archive, '--directory', folder, '--exclude=./dev/*'])
  } finally {
    rmSync(archive, { force: true })
  }
  const local = join(folder, 'usr/local')
  cpSync(join(lockedPackage(root, `node-linux-${architecture}`), 'bin/node'), join(local, 'bin/node'))
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true })
  cpSync(npmOfThisMachine(), join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
}

function npmOfThisMachine(): string {
  const command = process.env['npm_execpath'] ?? execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
  return dirname(dirname(realpathSync(command)))
}

function addToManifest(folder: string, manifest: string, architecture: string): void {
  const buildah = (...args: string[]) => execFileSync('buildah', args, { encoding: 'utf8' }).trim()
  const container = buildah('from', '--arch', architecture, 'scratch')
  try {
    buildah('copy', container, folder, '/')
    buildah('config', '--arch', architecture, '--os', 'linux', '--cmd', 'node', container)
    buildah('commit', '--manifest', manifest, container)
  } finally {
    buildah('rm', container)
  }
}

function debianName(architecture: Architecture): string {
  return architecture === 'x64' ? 'amd64' : architecture
}
