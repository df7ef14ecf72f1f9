import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Image, readImage } from './image.ts'

/** A service of a compose file, with the defaults of its image. */
export interface ComposeService {
  readonly name: string
  /** The image; undefined for a third-party image. */
  readonly image: Image | undefined
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The named volumes. */
  readonly volumes: readonly { readonly source: string; readonly target: string }[]
  readonly healthCheck: readonly string[]
  /** The time after which a service that does not stop is killed. */
  readonly stopSeconds: number
  readonly raw: RawService
}

/** A service in the form of the compose file. */
export interface RawService {
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly image?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly (string | { readonly source: string; readonly target: string })[]
  readonly healthcheck?: { readonly test?: readonly string[] }
  readonly profiles?: readonly string[]
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}

/**
 * Reads a compose file of the repository. Services that name the same image share the image that one of them builds.
 */
export function readComposition(root: string, file: string): ReadonlyMap<string, ComposeService> {
  const { services } = parse(readFileSync(join(root, file), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, RawService>>
  }
  const builds = new Map(
    Object.values(services)
      .map(({ image, build }) => [image, build] as const)
      .filter(([, build]) => build),
  )
  return new Map(
    Object.entries(services).map(([name, raw]) => [name, serviceOf(root, name, raw, builds.get(raw.image))]),
  )
}

function serviceOf(root: string, name: string, raw: RawService, build: RawService['build']): ComposeService {
  const image = build === undefined ? undefined : readImage(join(root, build.dockerfile), build.target)
  const environment = Object.entries({ ...image?.environment, ...raw.environment })
  return {
    name,
    image,
    command: raw.command ?? image?.command ?? [],
    environment: Object.fromEntries(environment.map(([key, value]) => [key, withDefaults(value)])),
    volumes: (raw.volumes ?? []).map(volumeOf).filter(({ source }) => !source.startsWith('/')),
    // The default of container engines is ten seconds.
    stopSeconds: Number.parseInt(raw.stop_grace_period ?? '10s', 10),
    healthCheck: raw.healthcheck?.test?.slice(1) ?? image?.healthCheck ?? [],
    raw,
  }
}

/** Replaces `${NAME:-default}` with the default. */
function withDefaults(value: string): string {
  return value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
}

function volumeOf(volume: string | { readonly source: string; readonly target: string }) {
  if (typeof volume !== 'string') return volume
  const [source = '', target = ''] = volume.split(':')
  return { source, target }
}
