import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../src/house/free-port.ts'
import { credentialsIn } from '../src/house/gateway.ts'
import { HouseProcess, logged } from '../src/house/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const DOMAIN = 'sms.example.org'

/** The bridge with the mail programs swaks and msmtp. */
export const emailProof: BridgeProof = {
  subject: 'email',
  packages: ['swaks', 'msmtp'],
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
  ],
}

/** Starts the bridge as a program of its own. Returns the port of its SMTP server. */
async function startBridge(world: ProofWorld, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const port = String(await freePort())
  const { username, password } = credentialsIn(world.gateway().folder)
  const bridge = new HouseProcess('bridge', 'apps/bridge/src/main.ts', ['run'], {
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
