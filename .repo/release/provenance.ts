export interface Provenance {
  readonly commit: string
  readonly version: string
  readonly madeAt: Date
  readonly architectures: readonly string[]
  /** The base image of the container images, with its digest. */
  readonly baseImage?: string | undefined
  /** The SHA-256 of each file, by the name of the file. */
  readonly files: ReadonlyMap<string, string>
}

/**
 * Returns an in-toto statement with SLSA provenance: the commit, and the commands that built the files. `SHA256SUMS` is
 * signed and lists the statement.
 */
export function provenanceOf({ commit, version, madeAt, architectures, baseImage, files }: Provenance): string {
  const [, image, sha256] = /^(.+)@sha256:([0-9a-f]{64})$/.exec(baseImage ?? '') ?? []
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...files].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:smsgw:npm-run-release',
        externalParameters: { version, architectures },
        internalParameters: { SOURCE_DATE_EPOCH: Math.floor(madeAt.getTime() / 1000) },
        resolvedDependencies: [
          { uri: 'git+file:.', digest: { gitCommit: commit } },
          ...(image === undefined ? [] : [{ uri: `docker://${image}`, digest: { sha256 } }]),
        ],
      },
      runDetails: { builder: { id: 'urn:smsgw:release', version: { node: process.version } } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}
