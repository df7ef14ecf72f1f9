import { doctor } from '@smsgw/agent/cli/doctor'
import { status } from '@smsgw/agent/cli/status'
import { printUdevRules } from '@smsgw/agent/cli/udev-rules'
import { ussd } from '@smsgw/agent/cli/ussd'
import { readConfig } from '@smsgw/agent/config'
import { inThisProcess } from '@smsgw/agent/link/in-process-socket'
import { gatewayFolder } from '@smsgw/daemon/default-folder'

/** Runs a command of the agent for the agent inside the gateway. */
export async function runAgentCommand(
  name: 'status' | 'doctor' | 'ussd' | 'udev-rules',
  args: readonly string[],
): Promise<void> {
  const { env } = process
  const settings = readConfig({
    ...env,
    DATA_DIR: env['DATA_DIR'] || gatewayFolder,
    // These belong to the relay of the gateway.
    ENROLMENT_TOKEN: undefined,
    ENROLMENT_TOKEN_FILE: undefined,
    RELAY_URL: undefined,
  })
  const config = { ...settings, RELAY_URL: inThisProcess }
  if (name === 'status') return await status(config, args)
  if (name === 'udev-rules') return await printUdevRules(config, args)
  if (name === 'ussd') return await ussd(config, args)
  process.exitCode = (await doctor(config, args)) ? 0 : 1
}
