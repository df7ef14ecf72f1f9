import { networkInterfaces } from 'node:os'
import { readConfig as readAgentConfig } from '@smsgw/agent/config'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { givenSecret, readSettings } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { onTermination } from '@smsgw/daemon/termination'
import { readConfig as readRelayConfig, settingsSchema } from '@smsgw/relay/config'
import { backupGateway } from './backup-gateway.ts'
import { databaseSettings } from './database-settings.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { helpText } from './help.ts'
import { restoreGateway } from './restore-gateway.ts'
import { finishRestore } from './restored-folder.ts'
import { keepCredentials, readSecrets } from './secrets.ts'
import { greeting, stageLine, welcome } from './welcome.ts'

process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
// A reader that has gone away (`… | head`) is no reason to die.
process.stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error))

await main(process.argv.slice(2)).catch(fail)

async function main(args: readonly string[]): Promise<void> {
  const [command, ...rest] = args
  if (command === 'backup' || command === 'restore') {
    await moveData(command, rest)
    return
  }
  if (command !== undefined) {
    process.stdout.write(helpText())
    return
  }
  let gateway: Gateway | undefined
  onTermination(async () => {
    setTimeout(() => process.exit(0), stopLimitMs).unref()
    await gateway?.stop()
    process.exit(0)
  })
  process.umask(0o077)
  const { env } = process
  const folder = takeDataFolder(env['DATA_DIR'] || './data')
  finishRestore(folder.path)
  const secrets = readSecrets(folder.path, {
    serverSecret: givenSecret(env, 'SERVER_SECRET'),
    password: givenSecret(env, 'ADMIN_PASSWORD'),
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
  // Somebody who watches wants to see what is wrong; a journal wants everything.
  const level = env['LOG_LEVEL'] ? relay.LOG_LEVEL : process.stdout.isTTY ? 'warn' : 'info'
  const log = openLog(level, process.stdout)
  process.stdout.write(greeting(folder.path))
  gateway = await startGateway({
    relay,
    agent,
    dataDir: folder.path,
    log,
    onPasswordChanged(changed) {
      // Of another account than the first one no copy is kept.
      if (changed.username !== secrets.username) return
      try {
        keepCredentials(secrets.credentialsFile, changed)
      } catch (error) {
        log.error({ err: error }, `the password was changed; ${secrets.credentialsFile} still holds the one before`)
      }
    },
    onStage: (words) => process.stdout.write(stageLine(words)),
    onFatal: fail,
  })
  process.stdout.write(welcome(gateway, secrets, { isTerminal: process.stdout.isTTY, machine: addressesOfMachine() }))
}

async function moveData(command: 'backup' | 'restore', args: readonly string[]): Promise<void> {
  process.umask(0o077)
  // Of the relay's settings only where its data are: its secret comes with them.
  const config = {
    ...readSettings(settingsSchema.pick(databaseSettings), process.env),
    serverSecret: givenSecret(process.env, 'SERVER_SECRET'),
  }
  const work = command === 'backup' ? backupGateway : restoreGateway
  process.stdout.write(`${await work(config, args, openLog('warn', process.stderr))}\n`)
}

function addressesOfMachine(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
}

const stopLimitMs = 15_000

/** One clear line for what can be mended; everything else with its trace. */
function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`smsgw: ${text}\n`)
  process.exit(1)
}
