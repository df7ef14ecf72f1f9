import { readFileSync } from 'node:fs'

/** The content of a small file of the kernel or the system; undefined when it cannot be had. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\0/g, '').trim()
  } catch {
    return undefined
  }
}
