import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { type BridgeProof, expectTexts, type ProofWorld, type Recipient } from './bridge-proof.ts'

/** Proves that Prometheus Alertmanager can send SMS with a webhook to the gateway. */
export const alertmanagerProof: BridgeProof = {
  subject: 'alertmanager',
  packages: ['prometheus-alertmanager'],
  steps: [
    [
      'sends one SMS for a group of alerts, and one for its end',
      async (world) => {
        const recipient = await world.newRecipient()
        const url = await startAlertmanager(world, recipient)
        const startsAt = new Date().toISOString()
        await postAlerts(url, ['web1', 'web2'], { startsAt })
        const firing = '[FIRING:2] DiskFull: Disk full on web1; Disk full on web2'
        await until(recipient, [firing])
        await postAlerts(url, ['web1', 'web2'], { startsAt, endsAt: new Date().toISOString() })
        await until(recipient, [firing, firing.replace('FIRING', 'RESOLVED')])
      },
    ],
    [
      'sends one SMS for two instances that do not know each other',
      async (world) => {
        const recipient = await world.newRecipient()
        const urls = [await startAlertmanager(world, recipient), await startAlertmanager(world, recipient)]
        const startsAt = new Date().toISOString()
        await Promise.all(urls.map((url) => postAlerts(url, ['web3'], { startsAt })))
        for (const url of urls) await untilNotified(url)
        expectTexts(await recipient.texts(), ['[FIRING:1] DiskFull: Disk full on web3'])
      },
    ],
    [
      'sends one SMS for an alert during which the gateway was killed',
      async (world) => {
        const recipient = await world.newRecipient()
        const url = await startAlertmanager(world, recipient)
        await world.restart(async () => {
          await postAlerts(url, ['web4'], { startsAt: new Date().toISOString() })
          await eventually(
            () => metric(url, 'alertmanager_notification_requests_failed_total'),
            (failed) => failed > 0,
          )
        })
        // Does not wait for the metrics, because they count a repeated notification as sent until it has failed
        // permanently.
        await until(recipient, ['[FIRING:1] DiskFull: Disk full on web4'])
      },
    ],
  ],
}

/** Returns the address of a new instance. */
async function startAlertmanager(world: ProofWorld, { key }: Recipient): Promise<string> {
  const port = await freePort()
  const [config, keyFile] = [join(world.folder, `${port}.yml`), join(world.folder, `${port}.key`)]
  writeFileSync(keyFile, key, { mode: 0o600 })
  writeFileSync(
    config,
    `route: { receiver: sms, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 4h }
receivers:
  - name: sms
    webhook_configs:
      - url: ${world.gateway().url}/hooks/alertmanager
        http_config: { authorization: { credentials_file: ${keyFile} } }
`,
  )
  const args = [
    `--config.file=${config}`,
    `--storage.path=${join(world.folder, String(port))}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]
  const running = world.programs.start('alertmanager', 'prometheus-alertmanager', args, world.folder)
  world.onEnd(() => running.stop())
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(isReady, (ready) => ready || running.isOver)
  if (running.isOver) throw new Error(`alertmanager ended: ${running.complaints}`)
  return url
}

async function postAlerts(url: string, instances: readonly string[], times: object): Promise<void> {
  const alerts = instances.map((instance) => ({
    labels: { alertname: 'DiskFull', instance },
    annotations: { summary: `Disk full on ${instance}` },
    ...times,
  }))
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify(alerts) })
  if (status !== 200) throw new Error(`alertmanager answered ${status}`)
}

async function until(recipient: Recipient, expected: readonly string[]): Promise<void> {
  await eventually(recipient.texts, (texts) => texts.length >= expected.length)
  expectTexts(await recipient.texts(), expected)
}

/** Waits until the gateway has accepted a notification. */
async function untilNotified(url: string): Promise<void> {
  const total = () => metric(url, 'alertmanager_notifications_total')
  const failed = () => metric(url, 'alertmanager_notifications_failed_total')
  await eventually(
    async () => (await total()) - (await failed()),
    (sent) => sent > 0,
  )
}

/** Returns the counter of webhooks. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((line) => line.startsWith(`${name}{integration="webhook"`))
  return Number(line?.split(' ').at(-1) ?? 0)
}
