import { openLog } from '@smsgw/daemon/log/log'
import { readRelayConfig } from '../src/config.ts'
import { checkAnswer } from '../src/http/answer/check-answer.ts'
import { newId, systemRandom } from '../src/random.ts'
import { startRelay } from '../src/relay.ts'
import { connectDatabase } from '../src/store/database.ts'
import type { RelayFuzzOptions } from './fuzz-relay.ts'

export interface FuzzedRelay extends Pick<RelayFuzzOptions, 'url' | 'good' | 'refill'> {
  close(): Promise<void>
}

const RECEIVED = { type: 'SMS', sender: '+14155552671', simNumber: 1, createdAt: new Date(), text: 'hello' }
const PICTURE = { name: 'cat.jpg', contentType: 'image/jpeg', size: 3, octets: new Uint8Array(3) }
const [USERNAME, PASSWORD] = ['fuzz', 'a password to be fuzzed']

/** Starts a complete relay that also checks its own answers, with devices and credentials of every kind. */
export async function fuzzedRelay(databaseUrl: string): Promise<FuzzedRelay> {
  const config = readRelayConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    CONSOLE_DIR: 'off',
    HOST: '127.0.0.1',
    SERVER_SECRET: Buffer.from(systemRandom.bytes(32)).toString('base64'),
    ADMIN_USERNAME: USERNAME,
    ADMIN_PASSWORD: PASSWORD,
    QUEUE_MAX_PENDING: '10000000',
    METRICS_TOKEN: 'the token of the metrics',
  })
  const log = openLog('warn', process.stderr)
  const relay = await startRelay({ config, log, checkAnswer })
  const database = connectDatabase({ url: databaseUrl, connections: 1 })
  const { id: accountId } = await database.account.findFirstOrThrow({ where: { username: USERNAME } })
  const basic = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`
  const token = await tokenFor(relay.url, basic, ['all:any'])
  return {
    url: relay.url,
    good: [basic, basic, basic, basic, token, token, token, 'Bearer the token of the metrics'],
    async refill() {
      // The number of webhooks per account is limited. Older webhooks are deleted, so that requests can register new
      // ones.
      const tooMany = await database.webhook.findMany({ where: { accountId }, orderBy: { key: 'desc' }, skip: 25 })
      await database.webhook.deleteMany({ where: { accountId, key: { in: tooMany.map(({ key }) => key) } } })
      if ((await database.device.count({ where: { accountId, deletedAt: null } })) > 1) return
      const name = 'a device'
      const devices = Array.from({ length: 3 }, () => ({
        id: newId(systemRandom),
        accountId,
        name,
        lastSeen: new Date(),
      }))
      await database.device.createMany({ data: devices })
      const attachments = { create: { partId: 1, position: 0, ...PICTURE } }
      for (const { id: deviceId } of devices)
        await database.inboxItem.create({
          data: { ...RECEIVED, deviceId, accountId, id: newId(systemRandom), attachments },
        })
    },
    async close() {
      await database.$disconnect()
      await relay.close()
    },
  }
}

async function tokenFor(url: string, authorization: string, scopes: readonly string[]): Promise<string> {
  const response = await fetch(`${url}/3rdparty/v1/auth/token`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ scopes, ttl: 0 }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return `Bearer ${access_token}`
}
