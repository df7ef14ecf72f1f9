import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import type { Finding, Fix, FixCommand } from './finding.ts'

/** The functions that ask the person at the terminal and run the commands that change the machine. */
export interface FixingHost {
  print(line: string): void
  /** The function that asks for a confirmation. Undefined if there is no terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
  /** Returns true if the command succeeded. */
  run(command: readonly string[]): boolean
}

/**
 * Offers to run the commands that fix the problems found, and runs each fix after a confirmation. Returns true if a fix
 * succeeded.
 */
export async function applyFixes(findings: readonly Finding[], host: FixingHost): Promise<boolean> {
  const fixes = withoutRepetitions(findings.flatMap(({ fix }) => fix ?? []))
  let hasFixed = false
  if (fixes.length === 0) {
    const isFine = findings.every(({ level }) => level === 'ok')
    host.print(isFine ? 'nothing to fix' : 'no problem can be fixed automatically')
  }
  for (const { about, commands } of fixes) {
    host.print(`fix: ${about}`)
    for (const command of commands) host.print(`     ${shown(command)}`)
    if (host.confirm === undefined) {
      host.print('     not run: confirmation needs a terminal')
    } else if (!(await host.confirm('     Run this? [y/N] '))) {
      host.print('     not run')
    } else {
      const failed = await firstFailure(commands, host)
      hasFixed ||= failed === undefined
      host.print(failed === undefined ? '     done' : `     failed: ${shown(failed)}`)
    }
  }
  return hasFixed
}

/** Returns each fix once, because several findings about one modem may have the same fix. */
function withoutRepetitions(fixes: readonly Fix[]): readonly Fix[] {
  return [...new Map(fixes.map((fix) => [JSON.stringify(fix.commands), fix])).values()]
}

/** Runs the commands in order until one fails. Returns the command that failed. */
async function firstFailure(commands: readonly FixCommand[], host: FixingHost): Promise<FixCommand | undefined> {
  for (const command of commands) {
    const isDone = isStep(command) ? await command.run() : host.run(withSudo(command))
    if (!isDone) return command
  }
  return undefined
}

type Step = Exclude<FixCommand, string | readonly string[]>

function isStep(command: FixCommand): command is Step {
  return typeof command === 'object' && 'run' in command
}

/** Adds sudo, because the doctor usually runs without root permissions. A line for the shell contains sudo already. */
function withSudo(command: string | readonly string[]): readonly string[] {
  if (typeof command === 'string') return ['sh', '-c', command]
  return process.getuid?.() === 0 ? command : ['sudo', ...command]
}

function shown(command: FixCommand): string {
  if (isStep(command)) return command.line
  return typeof command === 'string' ? command : withSudo(command).join(' ')
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
