// `npm run images -- [amd64] [arm64] [--target gateway]… [--fresh]`: builds the container images with buildah. Each
// image supports all named architectures; without a name, the architecture of this machine. The images go to
// dist/images/<target> and their digests to dist/smsgw-<version>-images.txt. To publish an image:
//
// skopeo copy --all dir:dist/images/gateway docker://ghcr.io/smsgw/gateway:0.1.0
//
// `--fresh` uses no layers of earlier builds. A release compares its images with a second build, which must not reuse
// layers of the first build.
//
// NODE_IMAGE names another base image, for example one with its digest. .repo/packaging/container/build-base-image.ts
// builds a base image on a machine that cannot reach a registry. npm trusts the certificates in NODE_EXTRA_CA_CERTS,
// for example of a proxy, only during the build.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Architecture, architectureOf } from './packaging/app-bundle.ts'

const root = resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: 'string', multiple: true, default: ['gateway', 'relay', 'agent', 'emulator'] },
    fresh: { type: 'boolean', default: false },
  },
})
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const platforms = (positionals.length > 0 ? positionals : [process.arch]).map(architectureOf).map(platformOf)

for (const program of ['buildah', 'skopeo']) {
  if (spawnSync(program, ['--version']).status === 0) continue
  process.stderr.write(
    `images: ${program} is not installed: install the package ${program}, or build with docker compose\n`,
  )
  process.exit(1)
}
const work = mkdtempSync(join(tmpdir(), 'smsgw-images-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
// The targets share the layers of one build.
const cacheKey = values.fresh ? randomUUID() : ''
const digests: string[] = []
for (const target of values.target) {
  const image = `localhost/smsgw-${target}:${version}`
  const place = join(root, 'dist/images', target)
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  spawnSync('buildah', ['manifest', 'rm', image], { stdio: 'ignore' })
  // Builds one image after the other, because buildah sometimes loses an image of the list when it builds several at
  // the same time.
  for (const platform of platforms)
    run('buildah', 'build', ...buildOptions(target, platform), '--manifest', image, root)
  const uncompressed = mkdtempSync(join(work, 'image-'))
  run('buildah', 'manifest', 'push', '--all', '--format', 'v2s2', image, `dir:${uncompressed}`)
  run('skopeo', 'copy', '--quiet', '--all', '--dest-compress', `dir:${uncompressed}`, `dir:${place}`)
  rmSync(uncompressed, { recursive: true })
  const list = readFileSync(join(place, 'manifest.json'), 'utf8')
  checkArchitectures(target, place, (JSON.parse(list) as ImageList).manifests)
  const digest = createHash('sha256').update(list).digest('hex')
  digests.push(`${target}:${version}@sha256:${digest}\n`)
  process.stdout.write(`built ${relative('.', place)} for ${platforms.join(' and ')}\n`)
}
const base = process.env['NODE_IMAGE'] ?? ''
if (base.includes('@sha256:')) digests.push(`${base} (base)\n`)
// The digest changes whenever the image changes.
writeFileSync(join(root, `dist/smsgw-${version}-images.txt`), digests.join(''))

/** Ends the program if an image is missing, or has the base image of another architecture. */
function checkArchitectures(target: string, place: string, images: ImageList['manifests']): void {
  const built = images.map(({ platform }) => `${platform.os}/${platform.architecture}`)
  const baseLayers = images.map(({ digest }) => {
    const file = join(place, `${digest.replace('sha256:', '')}.manifest.json`)
    return (JSON.parse(readFileSync(file, 'utf8')) as Image).layers[0]?.digest
  })
  if (built.join() === platforms.join() && new Set(baseLayers).size === platforms.length) return
  process.stderr.write(
    `images: ${target} must be for ${platforms.join(' and ')}, but is for ${built.join(' and ')}. Base layers: ${baseLayers.join(' and ')}\n`,
  )
  process.exit(1)
}

interface ImageList {
  readonly manifests: readonly {
    readonly digest: string
    readonly platform: { readonly os: string; readonly architecture: string }
  }[]
}

interface Image {
  readonly layers: readonly { readonly digest: string }[]
}

function platformOf(architecture: Architecture): string {
  return `linux/${architecture === 'x64' ? 'amd64' : architecture}`
}

function buildOptions(target: string, platform: string): string[] {
  const commit = git('rev-parse', 'HEAD')
  // All files in an image get the time of the commit. So two builds of a commit are the same.
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? git('show', '--no-patch', '--format=%ct', 'HEAD')
  const baseImage = process.env['NODE_IMAGE']
  return [
    ...['--file', join(root, '.repo/packaging/container/Dockerfile'), '--target', target],
    ...['--platform', platform, '--build-arg', `BUILDPLATFORM=${platformOf(architectureOf(process.arch))}`],
    // Sets BUILDPLATFORM, which older releases of buildah do not set. Uses the format of Docker, because the OCI format
    // has no health check.
    ...['--format', 'docker', '--layers', '--timestamp', epoch],
    // Passes these values as labels and not as build arguments. After a change of a build argument, buildah would still
    // use the labels of an earlier commit from its cache.
    ...label('version', version),
    ...label('revision', commit),
    ...label('created', new Date(Number(epoch) * 1000).toISOString()),
    ...(cacheKey ? ['--build-arg', `CACHE_KEY=${cacheKey}`] : []),
    ...(baseImage ? ['--build-arg', `NODE_IMAGE=${baseImage}`] : []),
    ...certificateOptions(process.env['NODE_EXTRA_CA_CERTS']),
  ]
}

/** Mounts the certificates and a configuration of npm that names them. Neither becomes part of a layer. */
function certificateOptions(certificates: string | undefined): string[] {
  if (!certificates) return []
  const inside = '/run/extra-certificates.crt'
  const settings = join(work, 'npmrc')
  writeFileSync(settings, `cafile=${inside}\n`)
  return ['--volume', `${certificates}:${inside}:ro`, '--volume', `${settings}:/root/.npmrc:ro`]
}

function label(name: string, value: string): string[] {
  return ['--label', `org.opencontainers.image.${name}=${value}`]
}

function run(program: string, ...args: string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' })
  if (status === 0) return
  process.stderr.write(`images: ${program} ${args[0]} failed${error ? `: ${error.message}` : ''}\n`)
  process.exit(1)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
