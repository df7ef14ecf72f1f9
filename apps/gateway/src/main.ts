import { networkInterfaces } from 'node:os'
import { readConfig as readAgentConfig } from '@smsgw/agent/config'
import { gatewayFolder } from '@smsgw/daemon/default-folder'
import { openLog } from '@smsgw/daemon/log'
import { failOnOutputErrors, ignoreOutputErrors } from '@smsgw/daemon/output'
import { readSecret, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { runService } from '@smsgw/daemon/termination'
import { readConfig as readRelayConfig, settingsSchema } from '@smsgw/relay/config'
import { backupGateway, databaseSettings } from './backup/backup-gateway.ts'
import { restoreGateway } from './backup/restore-gateway.ts'
import { takeGatewayFolder } from './data-folder.ts'
import { startGateway } from './gateway.ts'
import { helpText } from './help.ts'
import { readSecrets, storeCredentials } from './secrets.ts'
import { greeting, stageLine, welcome } from './welcome.ts'

const STOP_LIMIT_MS = 15_000

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// Without arguments it runs as a service, which must survive a broken log output.
if (process.argv.length > 2)
  failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))
else ignoreOutputErrors()

await main(process.argv.slice(2)).catch(fail)

async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args
  if (command === 'backup' || command === 'restore') {
    await moveData(command, rest)
    return
  }
  if (command === 'status' || command === 'doctor' || command === 'ussd' || command === 'udev-rules') {
    const { runAgentCommand } = await import('./agent-command.ts')
    await runAgentCommand(command, rest)
    return
  }
  if (command !== undefined) {
    process.stdout.write(helpText())
    return
  }
  process.umask(0o077)
  const { env } = process
  const folder = takeGatewayFolder(env['DATA_DIR'] || gatewayFolder)
  const secrets = readSecrets(folder.path, {
    serverSecret: readSecret(env, 'SERVER_SECRET'),
    password: readSecret(env, 'ADMIN_PASSWORD'),
  })
  const agent = readAgentConfig(env)
  const relay = readRelayConfig({
    ...env,
    DATA_DIR: folder.path,
    SERVER_SECRET: secrets.serverSecret,
    SERVER_SECRET_FILE: undefined,
    ADMIN_USERNAME: secrets.username,
    ADMIN_PASSWORD: secrets.password,
    ADMIN_PASSWORD_FILE: undefined,
  })
  // A terminal shows only problems by default; a service log gets everything.
  const level = env['LOG_LEVEL'] ? relay.LOG_LEVEL : process.stdout.isTTY ? 'warn' : 'info'
  const log = openLog(level, process.stdout)
  process.stdout.write(greeting(folder.path))
  const gateway = await runService({
    start: (stopping) =>
      startGateway({
        relay,
        agent,
        dataDir: folder.path,
        log,
        onPasswordChanged(changed) {
          // The file holds the password of the first account only.
          if (changed.username !== secrets.username) return
          try {
            storeCredentials(secrets.credentialsFile, changed)
          } catch (error) {
            log.error(
              { err: error },
              `password changed, but not written to ${secrets.credentialsFile}: the file still contains the previous password`,
            )
          }
        },
        onStage: (description) => process.stdout.write(stageLine(description)),
        onFatal: fail,
        stopping,
      }),
    stopLimitMs: STOP_LIMIT_MS,
  })
  process.stdout.write(welcome(gateway, secrets, { isTerminal: process.stdout.isTTY, machine: networkAddresses() }))
}

async function moveData(command: 'backup' | 'restore', args: readonly string[]): Promise<void> {
  process.umask(0o077)
  // Reads only the settings that locate the data, because the other settings need not be valid for a backup.
  const config = {
    ...readSettings(settingsSchema.pick(databaseSettings), {
      ...process.env,
      DATA_DIR: process.env['DATA_DIR'] || gatewayFolder,
    }),
    serverSecret: readSecret(process.env, 'SERVER_SECRET'),
  }
  const work = command === 'backup' ? backupGateway : restoreGateway
  process.stdout.write(`${await work(config, args, openLog('warn', process.stderr))}\n`)
}

function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
}

/** Prints one line for errors that the user can fix, and a stack trace for all others. */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`smsgw: ${text}\n`)
  process.exit(1)
}
