import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the licences of the packages that contain these files. Every copy of a bundle must include these licences.
 */
export function licencesOf(root: string, files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []))
  return [...folders]
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join('\n')
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `── ${name} ${version} (${typeof license === 'string' ? license : 'see below'})\n${text}`
}
