// `node apps/e2e/upgrade/write-fixture.ts --program <folder> --into <folder>`: runs the gateway of a release, fills its
// database and its journal with data of each kind, and writes a backup and the answers of the API. Later releases must
// restore the backup and give the same answers (src/releases.e2e.ts). `npm run release` calls it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { Gateway, gatewayOf, newFolder } from '../src/house/gateway.ts'
import { HouseProcess } from '../src/house/machine/process.ts'
import { answersOf } from '../src/house/release-answers.ts'

const { values } = parseArgs({ options: { program: { type: 'string' }, into: { type: 'string' } } })
if (values.program === undefined || values.into === undefined) throw new Error('both --program and --into are needed')
const main = join(resolve(values.program), 'gateway/main.js')
const into = resolve(values.into)
mkdirSync(into, { recursive: true })

const folder = newFolder()
const data = join(folder, 'data')
mkdirSync(data)
const emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
const gateway = await Gateway.start({ MODEMS: emulator.pty() }, { folder: data, command: gatewayOf(main) })
try {
  await gateway.untilReady()
  const { api } = gateway
  // Without this setting, a restored gateway would delete the messages of the fixture after 30 days.
  const { status } = await api.ask('PATCH', '/settings', { messages: { log_lifetime_days: 3650 } })
  if (status !== 200) throw new Error(`PATCH /settings: ${status}`)
  await api.ask('POST', '/webhooks', { id: 'fixture', url: 'https://receiver.invalid/', event: 'sms:received' })
  const ended = [
    { id: 'short', phoneNumbers: ['+447400500001'], textMessage: { text: 'Hello' } },
    {
      id: 'long',
      phoneNumbers: ['+447400500002', '+447400500003'],
      textMessage: { text: 'à bientôt, 再见 '.repeat(20) },
    },
    { id: 'data', phoneNumbers: ['+447400500004'], dataMessage: { data: 'AAECAw==', port: 5000 } },
  ]
  for (const message of ended) await api.until(await api.send(message), ({ state }) => state === 'Delivered')
  for (const text of ['Yes', 'A longer answer. '.repeat(15)])
    await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text })
  await untilReceived(2)
  const scheduleAt = new Date(Date.now() + 6 * 86_400_000).toISOString()
  await api.send({ id: 'scheduled', phoneNumbers: ['+447400500005'], textMessage: { text: 'Later' }, scheduleAt })
  // This message waits in the journal while the backup is being made.
  await emulator.instruct('set-fault', { modem: 'modem0', fault: 'submit-slow', options: { delayMs: 60_000 } })
  for (const id of ['waiting-1', 'waiting-2'])
    await api.send({ id, phoneNumbers: [`+44740050001${id.at(-1)}`], textMessage: { text: 'Waiting' } })
  await api.until('waiting-1', ({ state }) => state !== 'Pending')
  const backup = new HouseProcess('backup', main, ['backup', join(into, 'gateway.backup')], { DATA_DIR: data })
  if ((await backup.ended()) !== 0) throw new Error(`the backup failed: ${backup.complaints}`)
  const ids = ended.map(({ id }) => id)
  writeFileSync(join(into, 'answers.json'), `${JSON.stringify(await answersOf(api, ids), undefined, 2)}\n`)
} finally {
  await gateway.process.kill()
  await emulator.process.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function untilReceived(count: number): Promise<void> {
  await eventually(
    async () => (await gateway.api.ask('GET', '/inbox?limit=100')).json as readonly unknown[],
    ({ length }) => length >= count,
  )
}
