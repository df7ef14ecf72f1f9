import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runAgentModemCommand } from '@smsgw/agent/cli/run-modem-command'
import { readAgentConfig } from '@smsgw/agent/config'
import { inThisProcess } from '@smsgw/agent/link/in-process-socket'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { gatewayFolder } from '@smsgw/daemon/files/default-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { readSecret, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { relaySettingsSchema } from '@smsgw/relay/config'
import { readSecrets } from '../secrets.ts'
import { TestByApi } from './test-by-api.ts'

/** Runs a command on the data of the gateway, or a command of the agent inside the running gateway. */
export async function runGatewayCommand(line: CommandLine): Promise<void> {
  const env = { ...process.env, DATA_DIR: process.env['DATA_DIR'] || gatewayFolder }
  if (line.name === 'backup' || line.name === 'restore')
    return await moveData(line.name, line.positionals[0] ?? '', env)
  if (line.name.startsWith('keys ')) return await manageKeys(line, env)
  const config = readAgentConfig({
    ...env,
    // Not passed to the agent, because these settings belong to the relay of the gateway.
    ENROLMENT_TOKEN: undefined,
    ENROLMENT_TOKEN_FILE: undefined,
    RELAY_URL: undefined,
  })
  const testThrough = ({ simNumber }: { readonly simNumber?: number }) => new TestByApi(env, simNumber)
  await runAgentModemCommand({ ...config, RELAY_URL: inThisProcess }, line, testThrough)
}

/** Manages the API keys of the account of this gateway, whether or not the gateway is running. */
async function manageKeys(line: CommandLine, env: NodeJS.ProcessEnv & { readonly DATA_DIR: string }): Promise<void> {
  process.umask(0o077)
  const folder = resolve(env.DATA_DIR)
  if (!existsSync(join(folder, 'credentials.json')))
    throw new StartError(
      `${folder} contains no data of a gateway: start the gateway once, or set DATA_DIR to the data folder of the gateway`,
    )
  const { serverSecret, username } = readSecrets(folder, {
    serverSecret: readSecret(env, 'SERVER_SECRET'),
    password: undefined,
  })
  const { readRelayConfig } = await import('@smsgw/relay/config')
  const { runRelayCommand } = await import('@smsgw/relay/cli/run-command')
  const relay = readRelayConfig({
    ...env,
    DATA_DIR: folder,
    SERVER_SECRET: serverSecret,
    SERVER_SECRET_FILE: undefined,
    ADMIN_PASSWORD: undefined,
    ADMIN_PASSWORD_FILE: undefined,
  })
  await runRelayCommand(relay, { ...line, positionals: [username, ...line.positionals] })
}

async function moveData(name: 'backup' | 'restore', file: string, env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077)
  const { backupGateway, databaseSettings } = await import('../backup/backup-gateway.ts')
  const { restoreGateway } = await import('../backup/restore-gateway.ts')
  // Reads only the settings that locate the data, because the other settings need not be valid for a backup.
  const config = {
    ...readSettings(relaySettingsSchema.pick(databaseSettings), env),
    serverSecret: readSecret(env, 'SERVER_SECRET'),
  }
  const work = name === 'backup' ? backupGateway : restoreGateway
  process.stdout.write(`${await work(config, file, openLog('warn', process.stderr))}\n`)
}
