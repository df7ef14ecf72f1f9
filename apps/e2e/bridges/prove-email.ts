import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { credentialsIn } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { HouseProcess, logged } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const DOMAIN = 'sms.example.org'

/** Proves the bridge with the mail programs swaks and msmtp, and with the mail server exim. */
export const emailProof: BridgeProof = {
  subject: 'email',
  packages: ['swaks', 'msmtp', 'exim4-daemon-light'],
  steps: [
    [
      'swaks sends a mail from an allowed network',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const port = await startBridge(world, { SMTP_ALLOW_CIDRS: '127.0.0.0/8' })
        const swaks = `swaks --server 127.0.0.1 --port ${port} --from cron@example.org --header 'Subject: Backup' --body failed`
        const { status, output } = world.programs.run('sh', ['-c', `echo ${number}@${DOMAIN} | ${swaks}`])
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Backup\nfailed'])
      },
    ],
    [
      'msmtp sends a mail with an API key, and reports a wrong key and a number that the key may not send to',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        const port = await startBridge(world)
        const send = (password: string, to: string) => {
          const file = join(world.folder, 'mail-key')
          writeFileSync(file, password, { mode: 0o600 })
          const login = `--tls=off --auth=plain --user=any --passwordeval='cat ${file}'`
          const msmtp = `msmtp --host=127.0.0.1 --port=${port} --from=cron@example.org ${login} ${to}@${DOMAIN}`
          return world.programs.run('sh', ['-c', `printf 'Subject: Backup\\n\\nfinished\\n' | ${msmtp}`])
        }
        const wrongKey = send('wrong', number)
        if (wrongKey.status === 0 || !wrongKey.output.includes('535')) throw new Error(wrongKey.output)
        const wrongNumber = send(key, '+447400199999')
        if (wrongNumber.status === 0 || !wrongNumber.output.includes('550')) throw new Error(wrongNumber.output)
        const { status, output } = send(key, number)
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Backup\nfinished'])
      },
    ],
    [
      'exim keeps a mail while the gateway is killed, and delivers it once',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const port = await startBridge(world, { SMTP_ALLOW_CIDRS: '127.0.0.0/8' })
        const exim = mailServer(world, port)
        await world.restart(async () => {
          exim(
            `printf 'Subject: Backup\\n\\nkept\\n' | exim4 -C "$0/exim.conf" -odf -f cron@example.org ${number}@${DOMAIN}`,
          )
          if (!exim(waiting).includes(number)) throw new Error('exim did not keep the mail in its queue')
        })
        exim('exim4 -C "$0/exim.conf" -qff')
        if (exim(waiting).includes(number)) throw new Error('the mail is still in the queue of exim')
        expectTexts(await texts(), ['Backup\nkept'])
      },
    ],
  ],
}

/** Starts the bridge as a separate program. Returns the port of its SMTP server. */
async function startBridge(world: ProofWorld, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const port = String(await freePort())
  const { username, password } = credentialsIn(world.gateway().folder)
  const bridge = new HouseProcess('bridge', mainScripts.bridge, ['run'], {
    SMSGW_URL: world.gateway().url,
    SMSGW_USERNAME: username,
    SMSGW_PASSWORD: password,
    DATA_DIR: join(world.folder, `email-${port}`),
    SMTP_PORT: port,
    SMTP_DOMAIN: DOMAIN,
    ...settings,
  })
  world.onEnd(() => bridge.stop())
  await bridge.said(logged('SMTP server listening'))
  return port
}

const waiting = 'exim4 -C "$0/exim.conf" -bp'

/**
 * Returns a function that runs a shell command with exim. This exim forwards all mail to the bridge. `$0` is its
 * folder.
 */
function mailServer({ programs, folder }: ProofWorld, port: string): (script: string) => string {
  const home = join(folder, 'exim')
  mkdirSync(join(home, 'spool'), { recursive: true })
  for (const path of [folder, home]) chmodSync(path, 0o755)
  writeFileSync(join(home, 'exim.conf'), eximSettings(home, port))
  return (script) => {
    const { status, output } = programs.run('sh', ['-c', `${eximUser}\n${script}`, home])
    if (status !== 0) throw new Error(output)
    return output
  }
}

/** Adds the user of exim for this command only. */
const eximUser = `set -e
for name in passwd group; do cp /etc/$name "$0/$name"; done
echo 'Debian-exim:x:65510:65510::/:/bin/false' >> "$0/passwd"
echo 'Debian-exim:x:65510:' >> "$0/group"
for name in passwd group; do mount --bind "$0/$name" /etc/$name; done
chown -R 65510:65510 "$0/spool"`

function eximSettings(home: string, port: string): string {
  return `primary_hostname = box.example.org
exim_user = Debian-exim
exim_group = Debian-exim
spool_directory = ${home}/spool
log_file_path = ${home}/spool/log-%s
keep_environment =
begin routers
bridge:
  driver = manualroute
  transport = smtp
  route_list = * 127.0.0.1 byname
  self = send
begin transports
smtp:
  driver = smtp
  port = ${port}
begin retry
* * F,1h,1m
`
}
