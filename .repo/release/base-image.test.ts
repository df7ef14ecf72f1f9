import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { baseImageOf, pinnedImage } from './base-image.ts'

const root = resolve(import.meta.dirname, '../..')
const hasSkopeo = spawnSync('skopeo', ['--version']).status === 0
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

test('the base image of the Dockerfile is an image of Node with an exact version', () => {
  const dockerfile = readFileSync(join(root, '.repo/packaging/container/Dockerfile'), 'utf8')
  expect(baseImageOf(dockerfile)).toMatch(/^node:24\.\d+\.\d+-bookworm-slim$/)
  expect(() => baseImageOf('FROM node')).toThrow('ARG NODE_IMAGE')
})

test('keeps the digest of a base image, and refuses an image that exists only on this machine', async () => {
  expect(await pinnedImage(`node:24@${DIGEST}`)).toEqual({ name: `node:24@${DIGEST}` })
  const local = await pinnedImage('localhost/node:24')
  expect(local).toEqual({ name: 'localhost/node:24', problem: expect.stringContaining('only on this machine') })
})

test.skipIf(!hasSkopeo)('reads the digest of a base image from its registry', async () => {
  const list = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: DIGEST,
        size: 7,
        platform: { os: 'linux', architecture: 'amd64' },
      },
    ],
  })
  const registry = await startRegistry({ '/v2/library/node/manifests/24': list })
  try {
    const { name, problem } = await pinnedImage(`${registry.host}/library/node:24`)
    const digest = createHash('sha256').update(list).digest('hex')
    expect({ name, problem }).toEqual({ name: `${registry.host}/library/node:24@sha256:${digest}`, problem: undefined })
    const missing = await pinnedImage(`${registry.host}/library/node:25`)
    expect(missing.problem).toMatch(
      /node:25 has no digest, because skopeo cannot read the image from the registry: .*25/,
    )
  } finally {
    registry.stop()
  }
})

test('reports that skopeo is missing', async () => {
  vi.stubEnv('PATH', '/nowhere')
  const { name, problem } = await pinnedImage('node:24')
  vi.unstubAllEnvs()
  expect({ name, problem }).toEqual({
    name: 'node:24',
    problem: 'the base image node:24 has no digest, because skopeo is not installed',
  })
})

test('a release with images is refused before the build if the base image has no digest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-release-'))
  try {
    // Leaves out npm. If the release is wrongly accepted, the build then fails at once.
    symlinkSync(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(folder, 'git'))
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, '.repo/release.ts'), '--images', '--key', 'me'],
      {
        encoding: 'utf8',
        env: { ...process.env, PATH: folder, NODE_IMAGE: 'localhost/node:24' },
      },
    )
    expect(status).toBe(1)
    expect(stderr).toContain('release: the base image localhost/node:24 exists only on this machine\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** A local registry without TLS. skopeo accepts it only because registries.conf permits it. */
async function startRegistry(manifests: Readonly<Record<string, string>>) {
  const server = createServer(({ url = '' }, response) => {
    const text = url === '/v2/' ? '{}' : manifests[url]
    const type = 'application/vnd.oci.image.index.v1+json'
    response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': type }).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-registry-'))
  mkdirSync(join(folder, '.config/containers'), { recursive: true })
  const settings = `[[registry]]\nlocation = "${host}"\ninsecure = true\n`
  writeFileSync(join(folder, '.config/containers/registries.conf'), settings)
  vi.stubEnv('HOME', folder)
  return {
    host,
    stop() {
      vi.unstubAllEnvs()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
