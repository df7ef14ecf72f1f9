import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { type BridgeProof, expectTexts, type ProofWorld, type Recipient } from './bridge-proof.ts'
import { setCheck } from './check-file.ts'

/** Proves Nagios with `smsgw notify-by-sms` as its notification command. */
export const nagiosProof: BridgeProof = {
  subject: 'nagios',
  packages: ['nagios4-core'],
  steps: [
    [
      'sends an SMS for a problem and for its end, whatever the check prints',
      async (world) => {
        const recipient = await world.newRecipient()
        const output = `DISK CRITICAL - $(touch ${world.folder}/made) \`id\` 3% free`
        setCheck(world, 'check', output, 2)
        startNagios(world, recipient)
        const problem = `PROBLEM web1/disk CRITICAL\n${output}`
        await eventually(recipient.texts, (texts) => texts.length > 0)
        expectTexts(await recipient.texts(), [problem])
        setCheck(world, 'check', 'DISK OK', 0)
        await eventually(recipient.texts, (texts) => texts.length > 1)
        expectTexts(await recipient.texts(), [problem, 'RECOVERY web1/disk OK\nDISK OK'])
        if (existsSync(join(world.folder, 'made'))) throw new Error('a shell ran the output of the check')
      },
    ],
  ],
}

function startNagios(world: ProofWorld, { key, number }: Recipient): void {
  const { folder } = world
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 })
  for (const name of ['results', 'tmp']) mkdirSync(join(folder, name))
  const smsgw = `${process.execPath} ${mainScripts.smsgw}`
  const notify = `${smsgw} notify-by-sms --url ${world.gateway().url} --api-key-file ${join(folder, 'key')}`
  writeFileSync(
    join(folder, 'objects.cfg'),
    objects([
      ['timeperiod', { timeperiod_name: 'always', alias: 'always', ...everyDay() }],
      ['command', { command_name: 'check', command_line: join(folder, 'check') }],
      ['command', { command_name: 'up', command_line: '/bin/true' }],
      ['command', { command_name: 'notify-by-sms', command_line: notify }],
      [
        'contact',
        {
          contact_name: 'ada',
          pager: number,
          host_notification_period: 'always',
          service_notification_period: 'always',
          host_notification_options: 'd,r',
          service_notification_options: 'c,r',
          host_notification_commands: 'notify-by-sms',
          service_notification_commands: 'notify-by-sms',
        },
      ],
      ['host', { host_name: 'web1', address: '127.0.0.1', check_command: 'up', ...rules() }],
      ['service', { host_name: 'web1', service_description: 'disk', check_command: 'check', ...rules() }],
    ]),
  )
  const settings = {
    log_file: 'nagios.log',
    cfg_file: 'objects.cfg',
    object_cache_file: 'objects.cache',
    precached_object_file: 'objects.precache',
    status_file: 'status.dat',
    state_retention_file: 'retention.dat',
    lock_file: 'nagios.lock',
    temp_file: 'nagios.tmp',
    temp_path: 'tmp',
    check_result_path: 'results',
    query_socket: 'nagios.qh',
  }
  const lines = Object.entries(settings).map(([name, file]) => `${name}=${join(folder, file)}\n`)
  const more =
    'nagios_user=root\nnagios_group=root\nenable_environment_macros=1\ninterval_length=1\ncheck_external_commands=0\n'
  writeFileSync(join(folder, 'nagios.cfg'), lines.join('') + more)
  const running = world.programs.start('nagios', 'nagios4', [join(folder, 'nagios.cfg')], folder)
  world.onEnd(() => running.stop())
}

function rules() {
  return {
    max_check_attempts: '1',
    check_interval: '1',
    retry_interval: '1',
    check_period: 'always',
    notification_interval: '0',
    notification_period: 'always',
    contacts: 'ada',
  }
}

function everyDay(): Readonly<Record<string, string>> {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  return Object.fromEntries(days.map((day) => [day, '00:00-24:00']))
}

function objects(all: readonly (readonly [kind: string, members: Readonly<Record<string, string>>])[]): string {
  const lines = (members: Readonly<Record<string, string>>) =>
    Object.entries(members).map(([name, value]) => `  ${name} ${value}\n`)
  return all.map(([kind, members]) => `define ${kind} {\n${lines(members).join('')}}\n`).join('')
}
