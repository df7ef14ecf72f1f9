import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import type { Finding } from './finding.ts'

/** The functions that ask the person at the terminal and run the commands that change the machine. */
export interface FixingHost {
  print(line: string): void
  /** Undefined if there is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
  /** Returns true if the command succeeded. */
  run(command: readonly string[]): boolean
}

/**
 * Offers to run the commands that fix the problems found, and runs each fix after a confirmation. Returns true if a fix
 * succeeded.
 */
export async function applyFixes(findings: readonly Finding[], host: FixingHost): Promise<boolean> {
  const fixes = findings.flatMap(({ fix }) => fix ?? [])
  let hasFixed = false
  if (fixes.length === 0) host.print('nothing that can be fixed automatically')
  for (const { about, commands } of fixes) {
    host.print(`fix: ${about}`)
    for (const command of commands) host.print(`     ${withSudo(command).join(' ')}`)
    if (host.confirm === undefined) {
      host.print('     not run, because there is no terminal to confirm it')
    } else if (!(await host.confirm('     Run this? [y/N] '))) {
      host.print('     not run')
    } else {
      const failed = commands.find((command) => !host.run(withSudo(command)))
      hasFixed ||= failed === undefined
      host.print(failed === undefined ? '     done' : `     failed: ${withSudo(failed).join(' ')}`)
    }
  }
  return hasFixed
}

/** Adds sudo, because the doctor usually runs without root. */
function withSudo(command: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? command : ['sudo', ...command]
}

export const terminalHost: FixingHost = {
  print: (line) => void process.stdout.write(`${line}\n`),
  confirm: process.stdin.isTTY ? confirmOnTerminal : undefined,
  run: ([program = '', ...args]) =>
    spawnSync(program, args, { stdio: 'inherit', env: childEnvironment() }).status === 0,
}

async function confirmOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^(y|yes)$/i.test((await terminal.question(question)).trim())
  } finally {
    terminal.close()
  }
}
