import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/** The commands of a document of ours, as a reader copies them: each `sh` block with its lines, continued ones joined. */
function documentedCommands(document: string): readonly (readonly string[])[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  )
}

/** The block with a line that begins so. */
export function commandsWith(document: string, beginning: string): readonly string[] {
  const block = documentedCommands(document).find((lines) => lines.some((line) => line.includes(beginning)))
  if (block === undefined) throw new Error(`${document} has no commands with ${beginning}`)
  return block
}
