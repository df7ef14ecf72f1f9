import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './machine/process.ts'

/** Returns the commands of a document, which are the lines of its `sh` blocks. Continued lines are joined. */
function documentedCommands(document: string): readonly (readonly string[])[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#')),
  )
}

/** Returns the block that has a line with this beginning. */
export function commandsWith(document: string, beginning: string): readonly string[] {
  const block = documentedCommands(document).find((lines) => lines.some((line) => line.includes(beginning)))
  if (block === undefined) throw new Error(`${document} has no commands with ${beginning}`)
  return block
}
