import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Returns the source files of the relay without tests and generated files. */
export function sourceFiles(folder: string): { readonly file: string; readonly text: string }[] {
  return globSync('**/*.ts', { cwd: folder, exclude: ['store/generated', '**/testing'] })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(resolve(folder, file), 'utf8') }))
}
