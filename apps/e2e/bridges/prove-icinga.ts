import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { ROOT } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld, type Recipient } from './bridge-proof.ts'
import { setCheck } from './check-file.ts'

/** Proves Icinga with the notification command of docs/integrations/alerts.md. */
export const icingaProof: BridgeProof = {
  subject: 'icinga',
  packages: ['icinga2-bin', 'icinga2-common'],
  steps: [
    [
      'sends an SMS for a service and for its host',
      async (world) => {
        const recipient = await world.newRecipient()
        setCheck(world, 'host', 'PING OK', 0)
        setCheck(world, 'disk', 'DISK CRITICAL - `id` 3% free', 2)
        startIcinga(world, recipient)
        const problem = 'PROBLEM web1/disk CRITICAL\nDISK CRITICAL - `id` 3% free'
        await until(recipient, [problem])
        setCheck(world, 'disk', 'DISK OK', 0)
        const recovery = 'RECOVERY web1/disk OK\nDISK OK'
        await until(recipient, [problem, recovery])
        setCheck(world, 'host', 'no answer', 2)
        await until(recipient, [problem, recovery, 'PROBLEM web1 DOWN\nno answer'])
      },
    ],
  ],
}

async function until(recipient: Recipient, expected: readonly string[]): Promise<void> {
  await eventually(recipient.texts, (texts) => texts.length >= expected.length)
  expectTexts(await recipient.texts(), expected)
}

function startIcinga(world: ProofWorld, { key, number }: Recipient): void {
  const { folder } = world
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, key, { mode: 0o600 })
  const checking = 'check_interval = 1s\n  retry_interval = 1s\n  max_check_attempts = 1'
  const notifying = `command = "notify-by-sms"\n  users = [ "ada" ]\n  interval = 0`
  const config = join(folder, 'icinga2.conf')
  writeFileSync(
    config,
    `include <itl>
object CheckerComponent "checker" {}
object NotificationComponent "notification" {}
object CheckCommand "host" { command = [ "${join(folder, 'host')}" ] }
object CheckCommand "disk" { command = [ "${join(folder, 'disk')}" ] }
${documentedCommand(world.gateway().url, keyFile)}
object User "ada" {
  pager = "${number}"
}
object Host "web1" {
  check_command = "host"
  ${checking}
}
object Service "disk" {
  host_name = "web1"
  check_command = "disk"
  ${checking}
}
object Notification "of-host" {
  host_name = "web1"
  ${notifying}
}
object Notification "of-service" {
  host_name = "web1"
  service_name = "disk"
  ${notifying}
}
`,
  )
  const folders = ['DataDir', 'LogDir', 'CacheDir', 'SpoolDir', 'InitRunDir', 'ConfigDir']
  for (const name of folders) mkdirSync(join(folder, name))
  const defines = folders.map((name) => `--define=${name}=${join(folder, name)}`)
  const user = ['--define=RunAsUser=root', '--define=RunAsGroup=root']
  const running = world.programs.start('icinga', 'icinga2', ['daemon', '--config', config, ...defines, ...user], folder)
  world.onEnd(() => running.stop())
}

/** Returns the command that the documentation shows, with the addresses of this test. */
function documentedCommand(url: string, keyFile: string): string {
  const page = readFileSync(join(ROOT, 'docs/integrations/alerts.md'), 'utf8')
  const [command] = /^object NotificationCommand[^`]*/m.exec(page) ?? []
  if (command === undefined) throw new Error('docs/integrations/alerts.md shows no NotificationCommand')
  return command
    .replace('"/usr/bin/smsgw"', `"${process.execPath}", "${mainScripts.smsgw}"`)
    .replace('https://sms.example.org', url)
    .replace('/etc/icinga2/smsgw-key', keyFile)
}
