import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { newId, systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { withRealCost } from '../testing/password-cost.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { createAccount, ensureAccount } from './create-account.ts'
import { matchesPassword } from './password-hash.ts'
import { removeAccount } from './remove-account.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const world = useTestDatabase()
const deps = () => ({ ...world, box, random: systemRandom })

test('several concurrent requests to create an account with one name create one account', async () => {
  const given = { username: 'twin', password: 'some password' }
  const made = await Promise.all(Array.from({ length: 4 }, () => createAccount(deps(), given)))
  expect(made.filter((id) => id !== undefined)).toHaveLength(1)
})

test('several relays create the first account once, and do not reset its password', async () => {
  const given = { username: 'first', password: 'password from configuration' }
  const ids = await Promise.all(Array.from({ length: 4 }, () => ensureAccount(deps(), given)))
  expect(new Set(ids).size).toBe(1)
  expect(await ensureAccount(deps(), { ...given, password: 'another password' })).toBe(ids[0])
  const { passwordHash } = await world.database.account.findUniqueOrThrow({ where: { username: 'first' } })
  expect(await matchesPassword(box, passwordHash, given.password)).toBe(true)
})

test('a hash is argon2id with 19 MiB and a salt, and does not match without the server secret', async () => {
  for (const username of ['hash1', 'hash2'])
    await withRealCost(() => createAccount(deps(), { username, password: 'the same password' }))
  const rows = await world.database.account.findMany({ where: { username: { in: ['hash1', 'hash2'] } } })
  const [one = '', two = ''] = rows.map(({ passwordHash }) => passwordHash)
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await matchesPassword(box, one, 'the same password')).toBe(true)
  const otherServer = secretBox('another secret that is long enough', systemRandom)
  expect(await matchesPassword(otherServer, one, 'the same password')).toBe(false)
})

test('removing an account deletes all rows of the account and no others', async () => {
  await fullAccount('kept')
  const before = await rowCounts()
  const accountId = await fullAccount('removed')
  const after = await rowCounts()
  // If this fails, a new table is missing here: add it to `fullAccount`, and to `delete-account-rows-statement.ts` if
  // it can be large.
  const grown = Object.keys(after).filter((table) => after[table] !== before[table])
  const progress = ['conversation_order_progress', 'list_count_progress', 'message_count_progress']
  const shared = [...progress, 'installation', 'relays', 'signing_keys']
  expect(grown).toEqual(Object.keys(after).filter((table) => !shared.includes(table)))
  await removeAccount(world.database, systemClock, accountId)
  expect(await rowCounts()).toEqual(before)
})

test('the next removal completes an interrupted removal', async () => {
  const before = await rowCounts()
  const accountId = await fullAccount('broken off')
  await world.database.message.deleteMany({ where: { accountId } })
  await world.database.account.update({ where: { id: accountId }, data: { passwordHash: '-' } })
  await removeAccount(world.database, systemClock, accountId)
  expect(await rowCounts()).toEqual(before)
})

test('removes more messages than fit into one batch', async () => {
  const accountId = (await createAccount(deps(), { username: 'large', password: 'some password' })) ?? ''
  const message = { accountId, deviceId: 'device', createdAt: new Date() }
  await world.database.message.createMany({
    data: Array.from({ length: 4_500 }, (_, id) => ({ ...message, id: `${id}` })),
  })
  await removeAccount(world.database, systemClock, accountId)
  expect(await world.database.message.count({ where: { accountId } })).toBe(0)
})

/** Creates an account with a row in every table. */
async function fullAccount(username: string): Promise<string> {
  const { database } = world
  const accountId =
    (await createAccount(deps(), { username: `full-${username}`.replace(' ', '-'), password: 'some password' })) ?? ''
  const id = newId(systemRandom)
  const soon = new Date(Date.now() + 3_600_000)
  const now = new Date()
  await database.session.create({
    data: { tokenHash: id, accountId, credentialVersion: 1, createdAt: now, expiresAt: soon },
  })
  await database.pushSubscription.create({
    data: {
      ...{
        id,
        accountId,
        endpointHash: id,
        endpointSealed: '',
        service: '',
        p256dh: '',
        authSealed: '',
        language: 'en',
      },
      ...{ showsText: false, sessionHash: id, createdAt: now },
    },
  })
  await database.pushNotification.create({
    data: { accountId, subscriptionId: id, kind: 'message.received', topic: id, about: '+15550100' },
  })
  await database.recognisedLogin.create({ data: { loginHash: id, accountId, credentialVersion: 1 } })
  await database.tokenFamily.create({
    data: {
      id,
      accountId,
      expiresAt: soon,
      tokens: { create: { jti: id, accountId, kind: 'access', expiresAt: soon } },
    },
  })
  await database.apiKey.create({
    data: {
      id,
      accountId,
      name: 'key',
      scopes: [],
      secretHash: id,
      createdAt: now,
      usage: { create: { day: now, recipients: 1 } },
    },
  })
  await database.pairingCode.create({ data: { prefix: id, secretHash: '', accountId, expiresAt: soon } })
  await database.enrolmentToken.create({ data: { tokenHash: id, accountId } })
  await database.device.create({
    data: {
      id,
      accountId,
      name: 'device',
      journals: { create: { journalId: id } },
      simCards: { create: { simNumber: 1, state: 'ready' } },
      telemetryHistory: { create: { at: now, sample: {} } },
      waiting: { create: { connEpoch: 0, report: {}, at: now } },
      commands: { create: { cmdId: id, accountId, command: {} } },
    },
  })
  await database.phonePush.create({
    data: { deviceId: id, tokenSealed: '', noticedUntil: now, settingsVersion: 1, nextAttemptAt: now },
  })
  const parts = { create: { index: 1, result: 'accepted' } }
  const recipient = { cmdId: id, accountId, deviceId: id, position: 0, phoneNumber: '+15550100', dueAt: now, parts }
  await database.message.create({
    data: {
      ...{ id, accountId, deviceId: id, createdAt: now, recipients: { create: recipient } },
      attachments: { create: { position: 0, contentType: 'image/jpeg', size: 1, octets: new Uint8Array(1) } },
    },
  })
  const picture = { partId: 1, position: 0, name: '', contentType: 'image/jpeg', size: 1, octets: new Uint8Array(1) }
  await database.inboxItem.create({
    data: {
      ...{ id, accountId, deviceId: id, type: 'MMS_DOWNLOADED', sender: '+15550101', createdAt: now },
      attachments: { create: picture },
    },
  })
  const labels = { create: { label: { create: { id, accountId, name: id, color: 'red' } } } }
  const notes = { create: { id, text: 'note', author: 'sms' } }
  const conversation = { accountId, number: '+15550101' }
  await database.conversationState.create({ data: { ...conversation, archivedAt: now, labels, notes } })
  await database.conversationOrder.create({ data: { ...conversation, folder: 'archived', lastAt: now } })
  const counted = { accountId, deviceId: id, day: now, state: 'Pending' } as const
  await database.messageCount.create({ data: { ...counted, count: 1 } })
  await database.listCount.create({ data: { list: 'inbox', owner: accountId, deviceId: '', kind: 'SMS', count: 1 } })
  await database.messageCountChange.create({ data: { ...counted, messageKey: 0, change: 1 } })
  const attemptRows = { create: { number: 1, startedAt: now, durationMs: 1 } }
  const delivery = { id, accountId, deviceId: id, event: 'sms:sent', payload: {}, attemptRows, toClear: { create: {} } }
  await database.webhook.create({
    data: {
      id,
      accountId,
      url: 'https://example.org',
      event: 'sms:sent',
      secretSealed: '',
      deliveries: { create: delivery },
    },
  })
  await database.liveAccount.create({ data: { accountId, until: soon, sinceId: 0 } })
  await database.logEntry.create({ data: { accountId, module: 'test', priority: 'INFO', message: 'something' } })
  return accountId
}

async function rowCounts(): Promise<Record<string, number>> {
  const tables = await world.database.$queryRaw<{ name: string }[]>`
    SELECT tablename::text AS name FROM pg_tables
     WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'
       AND tablename NOT IN (SELECT relname FROM pg_class WHERE relispartition) ORDER BY 1`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await world.database.$queryRawUnsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${name}"`,
    )
    counts[name] = row?.count ?? 0
  }
  return counts
}
