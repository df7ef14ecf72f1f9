import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import type { AgentConfig } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import { findingLines } from '../doctor/finding.ts'
import { supportBundle } from '../doctor/support-bundle.ts'
import { printable } from '../modem-tool/printable.ts'
import { readArguments } from './read-arguments.ts'

/** Looks for what is wrong and says what to do. False when something is. */
export async function doctor(config: AgentConfig, args: readonly string[]): Promise<boolean> {
  const { values } = readArguments('doctor [--bundle <file>]', args, { bundle: { type: 'string' } })
  const examination = await examine(config, (finding) => {
    for (const line of findingLines(finding)) process.stdout.write(`${printable(line)}\n`)
  })
  const failed = examination.findings.filter(({ level }) => level === 'fail').length
  const warned = examination.findings.filter(({ level }) => level === 'warn').length
  process.stdout.write(`\n${failed} wrong, ${warned} worth a look\n`)
  if (values['bundle'] !== undefined) {
    const path = resolve(String(values['bundle']))
    write(path, await supportBundle(examination, config, new Date()))
    process.stdout.write(`written to ${path}: without texts, numbers and secrets; look at it before you hand it on\n`)
  }
  return failed === 0
}

/** Never over something that is there. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartError(`${path} could not be written: ${(error as Error).message}`, { cause: error })
  }
}
