import { createHash } from 'node:crypto'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

export interface SbomOptions {
  readonly version: string
  /** The text of `package-lock.json`. */
  readonly lockfile: string
  readonly madeAt: Date
}

/**
 * Lists the contents of a release as CycloneDX 1.5: every package of the lockfile with its licence and checksum,
 * without packages that are only for development. (`npm sbom` refuses workspaces whose folder begins with a period.)
 * The same lockfile always results in the same text.
 */
export function sbomOf({ version, lockfile, madeAt }: SbomOptions): string {
  const { packages } = JSON.parse(lockfile) as { packages: Readonly<Record<string, LockedPackage>> }
  const components = new Map<string, object>()
  for (const [path, locked] of Object.entries(packages)) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (name === undefined || locked.dev || locked.link) continue
    const component = componentOf(name, locked)
    components.set(component['bom-ref'], component)
  }
  const text = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(`${version}\n${lockfile}`)}`,
    version: 1,
    metadata: {
      timestamp: madeAt.toISOString(),
      component: {
        type: 'application',
        'bom-ref': `pkg:generic/smsgw@${version}`,
        name: 'smsgw',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [...components.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each),
  }
  return `${JSON.stringify(text, undefined, 2)}\n`
}

function componentOf(name: string, { version = '', integrity, license }: LockedPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [licenceOf(license)] }),
    ...(integrity !== undefined && { hashes: integrity.split(' ').flatMap(hashOf) }),
  }
}

/** An SPDX identifier, or an expression that combines several of them. */
function licenceOf(text: string): object {
  return /[ ()]/.test(text) ? { expression: text } : { license: { id: text } }
}

/** npm writes the digest in base 64, CycloneDX in hexadecimal. */
function hashOf(integrity: string): object[] {
  const [, kind = '', digest = ''] = /^sha(\d+)-(.+)$/.exec(integrity) ?? []
  if (digest === '') return []
  return [{ alg: `SHA-${kind}`, content: Buffer.from(digest, 'base64').toString('hex') }]
}

/** Returns a UUID of version 8, which may contain a digest (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
