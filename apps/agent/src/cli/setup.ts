import type { CommandLine } from '@smsgw/daemon/command-line'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import type { AgentConfig } from '../config.ts'
import { terminalHost } from '../doctor/apply-fixes.ts'
import { type SetupHost, setUpAgent } from '../setup/setup.ts'
import type { SetupModems } from '../setup/setup-modems.ts'
import { readSetupOptions } from '../setup/setup-options.ts'
import { printLine } from './terminal.ts'

/** Sets up a modem in a dialogue. Without a terminal, uses the options instead. Returns true if the modem works. */
export async function runSetup(
  config: AgentConfig,
  line: CommandLine,
  testThrough: SetupModems['testThrough'],
): Promise<boolean> {
  const options = readSetupOptions(line)
  // Makes the data folder and the saved PIN readable by their owner only.
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
