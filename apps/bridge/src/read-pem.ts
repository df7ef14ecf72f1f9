import { readFileSync } from 'node:fs'
import { StartError } from '@smsgw/daemon/start-error'

/** Reads the PEM file that a setting names. */
export function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${setting}: cannot read the file: ${(error as Error).message}`, { cause: error })
  }
}
