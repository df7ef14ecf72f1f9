import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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

/**
 * Returns the commands with which a person publishes the files of a release, in the folder of the release. The release
 * script runs none of these commands.
 */
export function publishCommands(folder: string, version: string): readonly string[] {
  const files = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
  const images = existsSync(join(folder, 'images')) ? readdirSync(join(folder, 'images')).sort() : []
  const chart = `smsgw-${version}.tgz`
  const command = `smsgw-command-${version}.tgz`
  const others = files.filter((name) => name.endsWith('.tgz') && name !== chart && name !== command).sort()
  // Puts the package `smsgw` last, because npm can install it only if the packages for its architectures are published.
  const npmPackages = [...others, ...files.filter((name) => name === command)]
  return [
    '# the signed tag, which starts the release workflow',
    `git push origin v${version}`,
    '# the apt repository, as static files',
    'rsync --archive apt/ <web server>:/srv/apt/',
    ...(images.length > 0 ? [`# the images, with the digests of smsgw-${version}-images.txt`] : []),
    ...images.map(
      (name) => `skopeo copy --all --preserve-digests dir:images/${name} docker://ghcr.io/smsgw/${name}:${version}`,
    ),
    ...(npmPackages.length > 0 ? ['# the npm packages'] : []),
    // Leaves out `--provenance`, because it works only in some CI systems. The signed provenance of the release covers
    // the same files.
    ...npmPackages.map((name) => `npm publish ./${name} --access public`),
    '# the Helm chart',
    `helm push ${chart} oci://ghcr.io/smsgw/charts`,
    '# the release with its files, checksums and signature',
    `gh release create v${version} --verify-tag --notes-file release-notes.md ${files
      .filter((name) => name !== 'release-notes.md')
      .sort()
      .join(' ')}`,
  ]
}
