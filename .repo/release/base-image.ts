import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'

export interface BaseImage {
  /** The name of the image, with its digest if there is no problem. */
  readonly name: string
  /** The reason why a release must not contain images with this base image. */
  readonly problem?: string
}

/** Returns the default of the build argument in the Dockerfile. */
export function baseImageOf(dockerfile: string): string {
  const name = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1]
  if (name === undefined) throw new Error('the Dockerfile has no line ARG NODE_IMAGE=…')
  return name
}

/**
 * Adds the digest that the registry has now. So each stage and each build uses the same base image, and the release
 * contains its digest. A name with a digest is returned unchanged.
 */
export async function pinnedImage(name: string): Promise<BaseImage> {
  if (/@sha256:[0-9a-f]{64}$/.test(name)) return { name }
  if (name.startsWith('localhost/')) return { name, problem: `the base image ${name} exists only on this machine` }
  try {
    // The digest of the list of all architectures, if there is a list.
    const { stdout } = await promisify(execFile)('skopeo', ['inspect', '--raw', `docker://${name}`], {
      encoding: 'buffer',
      timeout: 60_000,
    })
    return { name: `${name}@sha256:${createHash('sha256').update(stdout).digest('hex')}` }
  } catch (error) {
    return { name, problem: `the base image ${name} has no digest, because ${reasonOf(error)}` }
  }
}

function reasonOf(error: unknown): string {
  const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: Buffer }
  if (code === 'ENOENT') return 'skopeo is not installed'
  const line = stderr?.toString().trim().split('\n').at(-1) ?? ''
  const text = /msg="(.*)"$/.exec(line)?.[1]?.replace(/\\+"/g, '"') ?? (line || String(error))
  return `skopeo cannot read the image from the registry: ${text}`
}
