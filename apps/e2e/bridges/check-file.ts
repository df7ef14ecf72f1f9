import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProofWorld } from './bridge-proof.ts'

/**
 * Writes a check for Nagios and Icinga, or replaces it. The check returns this output and status from now on. Returns
 * the name of the file.
 */
export function setCheck({ folder }: ProofWorld, name: string, output: string, status: number): string {
  const file = join(folder, name)
  writeFileSync(`${file}.new`, `#!/bin/sh\ncat <<'END'\n${output}\nEND\nexit ${status}\n`)
  chmodSync(`${file}.new`, 0o755)
  renameSync(`${file}.new`, file)
  return file
}
