import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@smsgw/daemon/log/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ArchiveWriter } from '../../backup/archive-writer.ts'
import { backupDatabase } from '../../backup/backup-database.ts'
import { newHistory } from '../../backup/new-history.ts'
import { restoreDatabase } from '../../backup/restore-database.ts'
import { readRelayConfig } from '../../config.ts'
import { checkAnswer } from '../../http/answer/check-answer.ts'
import { startRelay } from '../../relay.ts'
import { callUrl } from '../../testing/call-url.ts'
import { emptyDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'

const SERVER_SECRET = 'an honest secret of forty-two characters!!'

let relay: TestRelay
let target: TestDatabase
let folder: string
let restored: { readonly url: string; close(): Promise<void> }
const keys = { current: '', previous: '', revoked: '', replaced: '' }
let message: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-keys-'))
  relay = await testRelay({ settings: { SERVER_SECRET } })
  target = await emptyDatabase()
  await relay.database.device.create({ data: { id: 'd'.repeat(21), accountId: relay.account.id, name: 'attic' } })
  const limits = { recipientsPerDay: 2, recipients: ['+44*'] }
  const rotated = await create({ name: 'door bell', scopes: ['messages:send', 'messages:list', 'keys:list'], limits })
  message = (await send(relay.url, rotated.key, '+447400123456')).json.id
  keys.previous = rotated.key
  keys.current = (await relay.api('POST', `/keys/${rotated.id}/rotate`)).json.key
  const replaced = await create({ name: 'alarm', scopes: ['messages:list'] })
  keys.replaced = replaced.key
  await relay.api('POST', `/keys/${replaced.id}/rotate`, { body: { overlapSeconds: 0 } })
  const revoked = await create({ name: 'old script', scopes: ['messages:list'] })
  keys.revoked = revoked.key
  await relay.api('DELETE', `/keys/${revoked.id}`)

  const path = join(folder, 'smsgw.backup')
  const archive = new ArchiveWriter(path, new Date())
  await backupDatabase({ url: relay.databaseUrl, kind: 'relay', now: new Date(), archive })
  await archive.finish()
  await restoreDatabase({
    ...{ url: target.url, path, kind: 'relay' },
    takeFile: async () => undefined,
    adjust: (client) => newHistory(client, SERVER_SECRET),
  })
  const config = readRelayConfig({ PORT: '0', CONSOLE_DIR: 'off', DATABASE_URL: target.url, SERVER_SECRET })
  restored = await startRelay({ config, log: openLog('error', { write: () => true }), checkAnswer })
})

afterAll(async () => {
  await restored?.close()
  await relay?.close()
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('after backup and restore, a key and its previous key are accepted, and a revoked or replaced key is refused', async () => {
  const statuses = Object.entries(keys).map(async ([name, key]) => [name, (await call('GET', '/messages', key)).status])
  expect(Object.fromEntries(await Promise.all(statuses))).toEqual({
    ...{ current: 200, previous: 200 },
    ...{ revoked: 401, replaced: 401 },
  })
})

test('after backup and restore, messages name their key, and the limits of the key count messages that were sent before', async () => {
  const [listed] = (await call('GET', '/messages', keys.current)).json
  expect(listed).toMatchObject({ id: message, sentBy: { kind: 'key', keyName: 'door bell' } })
  const known = (await call('GET', '/keys', keys.current)).json
  expect(known.find(({ name }: { name: string }) => name === 'door bell')).toMatchObject({ recipientsToday: 1 })
  expect((await send(restored.url, keys.current, '+493012345678')).json.reason).toBe('key_recipient_limit')
  expect((await send(restored.url, keys.current, '+447400123457')).status).toBe(202)
  expect((await send(restored.url, keys.current, '+447400123458')).json.reason).toBe('key_daily_limit')
})

async function create(body: object): Promise<{ readonly id: string; readonly key: string }> {
  return (await relay.api('POST', '/keys', { body })).json
}

function call(method: string, path: string, key: string) {
  return callUrl(method, `${restored.url}/3rdparty/v1${path}`, { auth: `Bearer ${key}` })
}

function send(url: string, key: string, number: string) {
  const body = { phoneNumbers: [number], textMessage: { text: 'Somebody is at the door' } }
  return callUrl('POST', `${url}/3rdparty/v1/messages`, { auth: `Bearer ${key}`, body })
}
