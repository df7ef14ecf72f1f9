import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from '@smsgw/daemon/terminal/printable'
import type { AgentConfig } from '../config.ts'
import { applyFixes, terminalHost } from '../doctor/apply-fixes.ts'
import { examine } from '../doctor/examine.ts'
import { findingLines } from '../doctor/finding.ts'
import { supportBundle } from '../doctor/support-bundle.ts'

/** Prints the problems and their solutions. Returns false if a check failed. */
export async function doctor(config: AgentConfig, { values }: CommandLine): Promise<boolean> {
  const examination = await examine(config, (finding) => {
    for (const line of findingLines(finding)) process.stdout.write(`${printable(line)}\n`)
  })
  const failed = examination.findings.filter(({ level }) => level === 'fail').length
  const warned = examination.findings.filter(({ level }) => level === 'warn').length
  process.stdout.write(`\n${failed} failed, ${warned} ${warned === 1 ? 'warning' : 'warnings'}\n`)
  if (values['fix'] === true) await applyFixes(examination.findings, terminalHost)
  if (values['bundle'] !== undefined) {
    const path = resolve(String(values['bundle']))
    write(path, await supportBundle(examination, config, new Date()))
    process.stdout.write(
      `Bundle written to ${path}, without message texts, numbers and secrets. Review it before you share it.\n`,
    )
  }
  return failed === 0
}

/** Does not overwrite an existing file. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartError(`cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}
