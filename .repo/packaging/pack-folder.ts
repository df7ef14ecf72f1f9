import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/**
 * Packs a folder as an npm package. With SOURCE_DATE_EPOCH, the same files always result in an identical package.
 * Returns the path of the package.
 */
export function packFolder(folder: string, file: string, compression: number): string {
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? String(Math.floor(Date.now() / 1000))
  const archive = `${file}.tar`
  try {
    execFileSync('tar', [
      ...sameEveryTime(epoch),
      '--create',
      '--file',
      archive,
      '--directory',
      folder,
      // npm expects every file in the folder `package/`.
      '--transform',
      's,^\\.,package,',
      '.',
    ])
    writeFileSync(file, gzipSync(readFileSync(archive), { level: compression }))
    return file
  } finally {
    rmSync(archive, { force: true })
  }
}

/** With these options, tar writes the same archive for the same files of any owner. */
export function sameEveryTime(epoch: string): readonly string[] {
  return ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u+w,go+rX,go-w']
}
