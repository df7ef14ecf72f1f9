import { runModemCommand } from '@smsgw/agent/cli/run-modem-command'
import { readConfig } from '@smsgw/agent/config'
import { inThisProcess } from '@smsgw/agent/link/in-process-socket'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { gatewayFolder } from '@smsgw/daemon/default-folder'
import { openLog } from '@smsgw/daemon/log'
import { readSecret, readSettings } from '@smsgw/daemon/settings'
import { settingsSchema } from '@smsgw/relay/config'

/** Runs a command on the data of the gateway, or a command for the agent inside the running gateway. */
export async function runCommand(line: CommandLine): Promise<void> {
  const env = { ...process.env, DATA_DIR: process.env['DATA_DIR'] || gatewayFolder }
  if (line.name === 'backup' || line.name === 'restore')
    return await moveData(line.name, line.positionals[0] ?? '', env)
  const config = readConfig({
    ...env,
    // These settings belong to the relay of the gateway.
    ENROLMENT_TOKEN: undefined,
    ENROLMENT_TOKEN_FILE: undefined,
    RELAY_URL: undefined,
  })
  await runModemCommand({ ...config, RELAY_URL: inThisProcess }, line)
}

async function moveData(name: 'backup' | 'restore', file: string, env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077)
  const { backupGateway, databaseSettings } = await import('../backup/backup-gateway.ts')
  const { restoreGateway } = await import('../backup/restore-gateway.ts')
  // Reads only the settings that locate the data, because the other settings need not be valid for a backup.
  const config = {
    ...readSettings(settingsSchema.pick(databaseSettings), env),
    serverSecret: readSecret(env, 'SERVER_SECRET'),
  }
  const work = name === 'backup' ? backupGateway : restoreGateway
  process.stdout.write(`${await work(config, file, openLog('warn', process.stderr))}\n`)
}
