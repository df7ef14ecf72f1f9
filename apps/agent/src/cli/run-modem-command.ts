import type { CommandLine } from '@smsgw/daemon/command-line'
import type { AgentConfig } from '../config.ts'
import type { SetupModems } from '../setup/setup-modems.ts'

/** Runs a command for the modems of an agent or a gateway. Loads only the modules that the command needs. */
export async function runAgentModemCommand(
  config: AgentConfig,
  line: CommandLine,
  /** If the gateway is running, returns the function that sends the test message through the API. */
  testThrough: SetupModems['testThrough'] = () => undefined,
): Promise<void> {
  switch (line.name) {
    case 'status': {
      const { status } = await import('./status.ts')
      return status(config, line)
    }
    case 'doctor': {
      const { doctor } = await import('./modem-commands.ts')
      process.exitCode = (await doctor(config, line)) ? 0 : 1
      return
    }
    case 'setup': {
      const { runSetup } = await import('./modem-commands.ts')
      process.exitCode = (await runSetup(config, line, testThrough)) ? 0 : 1
      return
    }
    case 'udev-rules': {
      const { printUdevRules } = await import('./modem-commands.ts')
      return printUdevRules(config, line)
    }
    case 'ussd': {
      const { ussd } = await import('./ussd.ts')
      return ussd(config, line)
    }
    case 'encryption-key rotate': {
      const { rotateEncryptionKey } = await import('./modem-commands.ts')
      return rotateEncryptionKey(config)
    }
    default:
      throw new Error(`command ${line.name} has no implementation`)
  }
}
