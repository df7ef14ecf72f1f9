import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

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
