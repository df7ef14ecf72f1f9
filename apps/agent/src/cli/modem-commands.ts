import { writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fingerprintGroups } from '@smsgw/contract/devices/fingerprint-groups'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from '@smsgw/daemon/terminal/printable'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import type { AgentConfig } from '../config.ts'
import { applyFixes, terminalHost } from '../doctor/apply-fixes.ts'
import { withoutVirtual } from '../doctor/checks/check-ports.ts'
import { examine } from '../doctor/examine.ts'
import { findingLines } from '../doctor/finding.ts'
import { supportBundle } from '../doctor/support-bundle.ts'
import { wantedModems } from '../modem-addresses.ts'
import { findPlaces, thisMachine } from '../modems/discovery/find-places.ts'
import { shareRules, udevRules } from '../modems/discovery/udev-rules.ts'
import { readUsbBus } from '../modems/discovery/usb-bus.ts'
import { type SetupHost, setUpAgent } from '../setup/setup.ts'
import type { SetupModems } from '../setup/setup-modems.ts'
import { readSetupOptions } from '../setup/setup-options.ts'
import { askAgent, noAgentRuns } from '../status/ask-agent.ts'
import { printLine } from './terminal.ts'

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

/** Throws if the file already exists. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartError(`cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Sets up a modem in a dialogue. Without a terminal, uses the options instead. Returns true if the modem works. */
export async function runSetup(
  config: AgentConfig,
  line: CommandLine,
  testThrough: SetupModems['testThrough'],
): Promise<boolean> {
  const options = readSetupOptions(line)
  // Only the owner may read the data folder and the saved PIN.
  process.umask(0o077)
  const isInteractive = processTerminal.isInteractive
  const host: SetupHost = {
    print: printLine,
    ask: isInteractive ? processTerminal.ask : undefined,
    askHidden: isInteractive ? processTerminal.askHidden : undefined,
    fixing: { ...terminalHost, print: printLine, ...(options.areFixesAgreed && { confirm: async () => true }) },
  }
  const result = await setUpAgent(config, options, host, testThrough)
  if (result.ok) printLine(`✔ ${result.text}`, 'green')
  else {
    printLine(`✘ ${result.problem}`, 'red')
    printLine(`  What to do: ${result.advice}`)
  }
  return result.ok
}

/**
 * Prints udev rules for the modems that this agent uses, or only for the modems of the given ports. With `--share`,
 * ModemManager keeps the modems and leaves one port of each modem to this agent.
 */
export async function printUdevRules(config: AgentConfig, { positionals, values }: CommandLine): Promise<void> {
  const { places } = await findPlaces(withoutVirtual(wantedModems(config)))
  const ports = await Promise.all(positionals.map((port) => realpath(port).catch(() => port)))
  const strange = ports.find((port) => !places.some((place) => place.ports.includes(port)))
  if (strange !== undefined) throw new StartError(`${strange} is not a port of a USB modem that this agent uses`)
  const chosen =
    ports.length === 0 ? places : places.filter((place) => place.ports.some((port) => ports.includes(port)))
  const rules = values['share'] ? shareRules(chosen, await readUsbBus(thisMachine.sysfs)) : udevRules(chosen)
  process.stdout.write(rules)
}

/** Asks the running agent for a new encryption key, which replaces the key that senders use now. */
export async function rotateEncryptionKey({ DATA_DIR: folder }: AgentConfig): Promise<void> {
  const key = await askAgent(folder, { ask: 'rotate-encryption-key' })
  if (key === undefined) throw noAgentRuns(folder)
  process.stdout.write(
    `Version ${key.version} of the encryption key is in use. SHA-256 of the public key:\n${fingerprintGroups(key.fingerprint)}\n` +
      'Earlier versions still decrypt messages for 30 days.\n',
  )
}
