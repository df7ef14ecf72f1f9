import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { deleteAccountRows } from '../accounts/delete-account-rows-statement.ts'
import { attachmentExamples } from '../attachments/testing/attachment-examples.ts'
import { deleteOldRecognisedLogins } from '../auth/passwords/delete-old-recognised-logins-statement.ts'
import { readRecognisedLogins } from '../auth/passwords/read-recognised-logins-statement.ts'
import { storeRecognisedLogin } from '../auth/passwords/store-recognised-login-statement.ts'
import { readAccountStandings } from '../auth/read-account-standings-statement.ts'
import { insertFamily } from '../auth/tokens/insert-family-statement.ts'
import { listValidFamilies } from '../auth/tokens/list-valid-families-statement.ts'
import { lockSigningKeys } from '../auth/tokens/lock-signing-keys-statement.ts'
import { readTokenGeneration } from '../auth/tokens/read-token-generation-statement.ts'
import { readTokenStandings } from '../auth/tokens/read-token-standings-statement.ts'
import { replacePair } from '../auth/tokens/replace-pair-statement.ts'
import { revokeFamilyOf } from '../auth/tokens/revoke-family-statement.ts'
import { conversationExamples } from '../conversations/testing/conversation-examples.ts'
import { storeAliasKeys } from '../devices/alias-keys.ts'
import { countDeviceQueue } from '../devices/count-device-queue-statement.ts'
import { deleteOldTelemetry } from '../devices/delete-old-telemetry-statement.ts'
import { lockDeviceToDelete } from '../devices/lock-device-to-delete-statement.ts'
import { countPairingTry } from '../devices/pairing/count-pairing-try-statement.ts'
import { readSamples } from '../devices/read-samples-statement.ts'
import { writeNames } from '../devices/write-names-statement.ts'
import { twilioExamples } from '../facades/twilio/testing/twilio-examples.ts'
import { publishHints } from '../hints/publish-hints-statement.ts'
import { countReceived, findReceivedAt } from '../inbox/count-received.ts'
import { deleteReceived } from '../inbox/delete-received-statement.ts'
import { inboxRetention } from '../inbox/inbox-retention-statement.ts'
import { ingestExamples } from '../ingest/testing/ingest-examples.ts'
import { recordTelemetry } from '../link/record-telemetry-statement.ts'
import { dispatchWorld } from '../link/testing/dispatch-world.ts'
import { linkExamples } from '../link/testing/link-examples.ts'
import { awaitTransactions } from '../live/await-transactions-statement.ts'
import { deleteOldLiveEvents } from '../live/delete-live-events-statement.ts'
import { readLastNumber, readLiveEvents, readMissedEvents } from '../live/read-live-events-statement.ts'
import { extendWatch, watchAccount } from '../live/watch-account-statement.ts'
import { deleteOldLogs, longestLogRetention } from '../logs/log-retention-statement.ts'
import { storeLogRows } from '../logs/store-log-rows-statement.ts'
import { lockMessages } from '../messages/progress/lock-messages-statement.ts'
import { readDeviceSims } from '../messages/progress/read-device-sims-statement.ts'
import { writeProgress } from '../messages/progress/write-progress-statement.ts'
import { countHistory, readHistory } from '../messages/read-history-statement.ts'
import { messageExamples } from '../messages/testing/message-examples.ts'
import { phoneExamples } from '../mobile/testing/phone-examples.ts'
import { pushExamples } from '../push/testing/push-examples.ts'
import { writeBeat } from '../replicas/write-beat-statement.ts'
import { lockSettings } from '../settings/lock-settings-statement.ts'
import { readOwnSettings } from '../settings/read-own-settings-statement.ts'
import { sharedInboxExamples } from '../shared-inbox/testing/shared-inbox-examples.ts'
import { countTraffic } from '../statistics/count-traffic-statement.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { readDeviceReports } from '../waiting/read-device-reports-statement.ts'
import { recordWaiting } from '../waiting/record-waiting-statement.ts'
import { countUnableToSend } from '../waiting/unable-to-send-statement.ts'
import { countDeliveries, findDeliveryAt } from '../webhooks/api/count-deliveries.ts'
import { deleteWithDeliveries } from '../webhooks/api/delete-webhook-statement.ts'
import { dropUnreadable } from '../webhooks/api/drop-unreadable-statement.ts'
import { endPause } from '../webhooks/api/end-pause-statement.ts'
import { lockDelivery } from '../webhooks/api/lock-delivery-statement.ts'
import { lockRegistrations, lockUrl, preventDeletion } from '../webhooks/api/lock-webhook-statement.ts'
import { putWebhook } from '../webhooks/api/put-webhook-statement.ts'
import { readDeliveries } from '../webhooks/api/read-deliveries-statement.ts'
import { lockOlderEvents, readOlderEvents } from '../webhooks/api/read-older-events-statement.ts'
import { redeliver } from '../webhooks/api/redeliver-statement.ts'
import { rotateSecret } from '../webhooks/api/rotate-secret-statement.ts'
import { disableReceiver } from '../webhooks/delivery/disable-receiver-statement.ts'
import { dropDeliveries } from '../webhooks/delivery/drop-deliveries-statement.ts'
import { queueAgeSeconds, queueSize } from '../webhooks/delivery/measure-queue-statement.ts'
import { readDue } from '../webhooks/delivery/read-due-statement.ts'
import { recordAttempts } from '../webhooks/delivery/record-attempts-statement.ts'
import { releaseFollowers } from '../webhooks/delivery/release-followers-statement.ts'
import { releaseReceivers } from '../webhooks/delivery/release-receivers-statement.ts'
import { takeReceivers } from '../webhooks/delivery/take-receivers-statement.ts'
import { updateHealth } from '../webhooks/delivery/update-health-statement.ts'
import { deliveryRetention } from '../webhooks/outbox/delivery-retention-statement.ts'
import { insertDeliveries } from '../webhooks/outbox/insert-deliveries-statement.ts'
import { lockRegistered } from '../webhooks/outbox/lock-registered-statement.ts'
import { correctStoredTimes } from './clock/correct-stored-times-statement.ts'
import { behindStoredTimesMs, readDatabaseMs } from './clock/read-clock-statement.ts'
import type { Statements } from './database.ts'
import { Prisma } from './generated/client.ts'
import {
  addListChanges,
  areListCountsBehind,
  correctListCounts,
  countList,
  deleteEmptyListCounts,
  lists,
  lockListProgress,
} from './list-counts/list-counts-statement.ts'
import { readRows } from './read-rows.ts'
import { testDiskSpace } from './test-disk-space-statement.ts'
import { credentialStatements } from './testing/credential-statements.ts'
import { columnsOf, differences, type RunStatement, recordStatements } from './testing/describe-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const connection = { accountId: 'account', deviceId: 'device', connEpoch: 1, journalId: 'journal' }
const family = {
  ...{ accountId: 'account', scopes: [], issuedAt: now, accessId: 'access', refreshId: 'refresh' },
  ...{ accessExpiresAt: new Date('2030-01-01'), refreshExpiresAt: new Date('2030-01-01') },
} as never
const webhook = { id: 'w', url: '', events: ['sms:received'] as const, deviceId: null }
const delivery = {
  ...{ id: 'event', deviceId: 'device', event: 'sms:received' },
  ...{ payload: '{}', disabled: false, follows: undefined },
}
const aboutOne = { accountId: 'account', cmdId: 'm/0' }

/** Runs every statement of a file at least once, against a database with a message and a delivery of `account`. */
const examples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'accounts/delete-account-rows-statement.ts': async (s) => {
    for (const deleteSome of deleteAccountRows) await deleteSome(s, 'account')
  },
  'auth/passwords/delete-old-recognised-logins-statement.ts': (s) => deleteOldRecognisedLogins(s),
  'auth/tokens/insert-family-statement.ts': (s) => insertFamily(s as never, 'family', family, {}),
  ...credentialStatements(now),
  'auth/tokens/list-valid-families-statement.ts': async (s) => {
    await insertFamily(s as never, 'family', family, {})
    await listValidFamilies(s, 'account', now)
  },
  'auth/tokens/lock-signing-keys-statement.ts': (s) => lockSigningKeys(s),
  'auth/read-account-standings-statement.ts': (s) => readAccountStandings(s, ['account']),
  'auth/passwords/read-recognised-logins-statement.ts': async (s) => {
    await storeRecognisedLogin(s, 'hash', { accountId: 'account', credentialVersion: 1 })
    await readRecognisedLogins(s, { afterSeq: 0n, most: 1 })
  },
  'auth/tokens/read-token-generation-statement.ts': (s) =>
    readTokenGeneration(s, { accountId: 'account', tokenId: 'access' }),
  'auth/tokens/read-token-standings-statement.ts': async (s) => {
    await insertFamily(s as never, 'family', family, {})
    await readTokenStandings(s, ['access'])
  },
  'auth/tokens/replace-pair-statement.ts': (s) => replacePair(s, 'refresh', family),
  'auth/tokens/revoke-family-statement.ts': async (s) => {
    await insertFamily(s as never, 'family', family, {})
    await revokeFamilyOf(s as never, { accountId: 'account', jti: 'access' }, now)
  },
  'auth/passwords/store-recognised-login-statement.ts': (s) =>
    storeRecognisedLogin(s, 'hash', { accountId: 'account', credentialVersion: 1 }),
  'devices/alias-keys.ts': (s) => storeAliasKeys(s, connection, [{ id: '1', key: 'key' }]),
  'devices/count-device-queue-statement.ts': (s) => countDeviceQueue(s, 'account', 'device'),
  'devices/pairing/count-pairing-try-statement.ts': async (s) => {
    await s.pairingCode.create({
      data: { prefix: 'ABCD', secretHash: '', accountId: 'account', expiresAt: new Date('2030-01-01') },
    })
    await countPairingTry(s, 'ABCD', now)
  },
  'devices/delete-old-telemetry-statement.ts': (s) => deleteOldTelemetry(s as never, now),
  'devices/lock-device-to-delete-statement.ts': (s) => lockDeviceToDelete(s, 'account', 'device'),
  'devices/read-samples-statement.ts': async (s) => {
    await recordTelemetry(s, [{ connection, receivedAt: now, json: '{}' }])
    const to = new Date(now.getTime() + 1_000)
    await readSamples(s, { accountId: 'account', deviceId: 'device', from: now, to, most: 1 })
  },
  ...conversationExamples,
  'devices/write-names-statement.ts': (s) =>
    writeNames(s, { accountId: 'account', deviceId: 'device' }, { name: 'attic', simNames: { 1: 'Support' }, now }),
  ...twilioExamples(now),
  'http/list-rows-statement.ts': async (s) => {
    const received = { accountId: 'account', type: 'SMS', senders: ['+1'], deviceId: 'device', from: now, to: now }
    await countReceived(s, received)
    await findReceivedAt(s, received, 0)
    const deliveries = { webhookKey: 1n, states: ['waiting', 'failed'], from: now, to: now }
    await countDeliveries(s, deliveries)
    await findDeliveryAt(s, deliveries, 0)
    await countHistory(s, { accountId: 'account', sentBy: 'key', from: now, to: now })
    await countHistory(s, { accountId: 'account', hasFailed: true, sentBy: 'password', from: now, to: now })
  },
  'hints/publish-hints-statement.ts': (s) => publishHints(s, [{ kind: 'wake', deviceId: 'device' }]),
  'inbox/delete-received-statement.ts': (s) => deleteReceived(s, 0),
  'inbox/inbox-retention-statement.ts': (s) => inboxRetention.deleteOlder(s as never, 'account', now, 1),
  ...ingestExamples(now, connection),
  ...linkExamples(now, connection),
  'logs/log-retention-statement.ts': async (s) => {
    await deleteOldLogs(s, 'account', now, 1)
    await longestLogRetention(s)
  },
  'logs/store-log-rows-statement.ts': (s) =>
    storeLogRows(s, [
      {
        ...{ accountId: 'account', deviceId: undefined, createdAt: now, module: 'tests' },
        ...{ priority: 'INFO', message: 'hello', context: {} },
      },
    ]),
  'live/await-transactions-statement.ts': (s) => awaitTransactions(s, 'writers'),
  'live/delete-live-events-statement.ts': (s) => deleteOldLiveEvents(s as never),
  'live/read-live-events-statement.ts': async (s) => {
    await readLiveEvents(s, 0n, 1)
    await readMissedEvents(s, 'account', { after: 0n, upTo: 9n }, 1)
    await readLastNumber(s)
  },
  'live/watch-account-statement.ts': async (s) => {
    await watchAccount(s, 'account')
    await extendWatch(s, ['account'])
  },
  ...messageExamples(now),
  'messages/progress/lock-messages-statement.ts': (s) => lockMessages(s, [aboutOne]),
  'messages/progress/read-device-sims-statement.ts': (s) => readDeviceSims(s, ['device']),
  'messages/progress/write-progress-statement.ts': async (s) => {
    const messages = await lockMessages(s, [aboutOne])
    await writeProgress(
      s,
      messages.flatMap(({ recipients }) => recipients),
      messages,
    )
  },
  'messages/read-history-statement.ts': async (s) => {
    const filter = { accountId: 'account', state: undefined, deviceId: 'device', from: new Date(0), to: now }
    await countHistory(s, filter)
    const first = { after: undefined, skip: 0, take: 1 }
    await readHistory(s, { ...filter, sentBy: 'key' }, 'DESC', first)
    await readHistory(s, { accountId: 'account', sentBy: 'key', from: now }, 'ASC', first)
    await readHistory(s, { ...filter, sentBy: 'password', hasFailed: true }, 'DESC', first)
    await readHistory(s, filter, 'DESC', { after: { createdAt: now, key: 9n }, skip: 0, take: 1 })
  },
  ...attachmentExamples,
  ...phoneExamples,
  ...pushExamples,
  ...sharedInboxExamples,
  'replicas/write-beat-statement.ts': (s) => writeBeat(s),
  'store/clock/correct-stored-times-statement.ts': (s) => correctStoredTimes(s as never, 1_000),
  'store/clock/read-clock-statement.ts': async (s) => {
    await readDatabaseMs(s)
    await behindStoredTimesMs(s)
  },
  'store/list-counts/list-counts-statement.ts': async (s) => {
    await countList(s, { list: 'inbox', owner: 'account', deviceId: 'device', kinds: ['SMS'] })
    await areListCountsBehind(s)
    await addListChanges(s, 1)
    for (const list of lists) {
      await lockListProgress(s, list)
      await correctListCounts(s, list, '1')
    }
    await deleteEmptyListCounts(s)
  },
  'store/test-disk-space-statement.ts': (s) => testDiskSpace(s),
  'settings/read-own-settings-statement.ts': (s) => readOwnSettings(s, ['account']),
  'settings/lock-settings-statement.ts': (s) => lockSettings(s, 'account'),
  'statistics/count-traffic-statement.ts': (s) =>
    countTraffic(s, { accountId: 'account', stepSeconds: 60, starts: [now, new Date(now.getTime() + 60_000)] }),
  'webhooks/api/delete-webhook-statement.ts': (s) => deleteWithDeliveries(s, 1n),
  'webhooks/api/drop-unreadable-statement.ts': (s) =>
    dropUnreadable(s, 1n, [{ event: 'sms:received', scopes: 'inbox:list' }]),
  'webhooks/api/end-pause-statement.ts': (s) => endPause(s, 1n),
  'webhooks/api/lock-delivery-statement.ts': (s) => lockDelivery(s, 'account', delivery.id),
  'webhooks/api/lock-webhook-statement.ts': async (s) => {
    await lockRegistrations(s, 'account')
    await lockUrl(s, 'account', webhook.id)
    await preventDeletion(s, 'account', webhook.id)
  },
  'webhooks/api/put-webhook-statement.ts': (s) => putWebhook(s, 'account', webhook, 'sealed'),
  'webhooks/api/read-deliveries-statement.ts': async (s) => {
    const deliveries = { webhookKey: 1n, states: ['failed'], from: now, to: now }
    await readDeliveries(s, deliveries, { after: { createdAt: now, key: 9n }, skip: 0, take: 1 })
  },
  'webhooks/api/read-older-events-statement.ts': async (s) => {
    await readOlderEvents(s, 1n, ['delivered'], { from: new Date(0), to: now })
    await lockOlderEvents(s, 1n, [1n])
  },
  'webhooks/api/redeliver-statement.ts': (s) => redeliver(s, [1n]),
  'webhooks/api/rotate-secret-statement.ts': (s) => rotateSecret(s, 1n, 'sealed', now),
  'webhooks/delivery/disable-receiver-statement.ts': (s) => disableReceiver(s, { key: 1n, url: '' }, 'reason'),
  'webhooks/delivery/drop-deliveries-statement.ts': (s) => dropDeliveries(s, 1n, 1),
  'webhooks/delivery/measure-queue-statement.ts': async (s) => {
    await queueSize(s as never)
    await queueAgeSeconds(s as never)
  },
  'webhooks/delivery/read-due-statement.ts': (s) => readDue(s as never, 1, new Map([[1n, 1]]), []),
  'webhooks/delivery/record-attempts-statement.ts': (s) =>
    recordAttempts(s as never, [
      {
        ...{ key: 1n, version: 0, event: '', startedAt: now, durationMs: 1, url: '', address: undefined, status: 200 },
        ...{ error: undefined, excerpt: undefined, state: 'delivered', pauseMs: 0 },
      },
    ]),
  'webhooks/delivery/release-followers-statement.ts': (s) => releaseFollowers(s as never, [1n]),
  'webhooks/delivery/release-receivers-statement.ts': (s) => releaseReceivers(s as never, 1, [1n]),
  'webhooks/delivery/take-receivers-statement.ts': (s) =>
    takeReceivers(s as never, { worker: 1, leaseSeconds: 1, busy: [], renewed: [], after: 0n, limit: 1 }),
  'webhooks/delivery/update-health-statement.ts': (s) =>
    updateHealth(
      s as never,
      [{ key: 1n, url: '', isSuccess: true, isRecovered: false, isOpening: false, pauseMs: 0 }],
      { disableAfterMs: 1, restMs: 1 },
    ),
  'webhooks/outbox/delivery-retention-statement.ts': (s) =>
    deliveryRetention.deleteOlder(s as never, 'account', now, 1),
  'webhooks/outbox/insert-deliveries-statement.ts': (s) =>
    insertDeliveries(s, 'account', [{ ...delivery, webhookKey }], true),
  'webhooks/outbox/lock-registered-statement.ts': async (s) => {
    for (const keepUrl of [true, false]) await lockRegistered(s, 'account', webhook.events, { keepUrl })
  },
  'waiting/read-device-reports-statement.ts': async (s) => {
    await recordWaiting(s, connection, { sims: [], messages: [] }, now)
    await readDeviceReports(s, 'account', ['device'])
  },
  'waiting/record-waiting-statement.ts': (s) => recordWaiting(s, connection, { sims: [], messages: [] }, now),
  'waiting/unable-to-send-statement.ts': (s) => countUnableToSend(s as never),
}

const store = useTestDatabase()
let webhookKey: bigint

beforeAll(async () => {
  await store.database.installation.create({ data: { streamId: 'stream', secretCheck: '' } })
  const world = await dispatchWorld(store.database)
  await world.connect({ relayId: 'relay', journalId: 'journal', sims: [{ simNumber: 1, state: 'ready' }] })
  await world.message('m')
  webhookKey = (await putWebhook(store.database, 'account', webhook, 'sealed')).key
  await insertDeliveries(store.database, 'account', [{ ...delivery, webhookKey }], false)
})

/** Runs the statements and rolls back their changes. */
async function run(example: (statements: Statements) => Promise<unknown>): Promise<RunStatement[]> {
  const ran: RunStatement[] = []
  const done = new Error('done')
  await store.database
    .$transaction(async (statements) => {
      await example(recordStatements(statements, ran))
      throw done
    })
    .catch((error) => {
      if (error !== done) throw error
    })
  return ran
}

async function problemsOf({ sql, rows }: RunStatement): Promise<string[]> {
  const columns = await columnsOf(store.url, sql)
  if (rows === undefined) return []
  if (sql.row === undefined) return ['has rows without a schema: use readRows']
  const schema = z.strictObject(sql.row.shape)
  return [...differences(columns, sql.row), ...rows.flatMap((row) => schema.safeParse(row).error?.message ?? [])]
}

describe.each(Object.entries(examples))('%s', (file, example) => {
  test('returns the rows of its schema', async () => {
    const ran = await run(example)
    const calls = readFileSync(resolve(SOURCE, file), 'utf8').match(/\$executeRaw`|\breadRows?\($/gm) ?? []
    expect(new Set(ran.map(({ sql }) => sql.sql)).size).toBeGreaterThanOrEqual(calls.length)
    expect((await Promise.all(ran.map(problemsOf))).flat()).toEqual([])
  })
})

describe('a schema that differs from the rows', () => {
  const problemsWith = async (row: z.ZodObject, sql: Prisma.Sql) =>
    (await Promise.all((await run((s) => readRows(s, row, sql))).map(problemsOf))).flat()

  test.each([
    [z.object({}), Prisma.sql`SELECT 1 AS one`, 'one is not in the schema'],
    [z.object({ one: z.int(), two: z.int() }), Prisma.sql`SELECT 1 AS one`, 'two is not a column'],
    [z.object({ one: z.string() }), Prisma.sql`SELECT 1 AS one`, 'one has the type int4'],
    [z.object({ one: z.int() }), Prisma.sql`SELECT 1::float8 AS one`, 'one has the type float8'],
    [z.object({ one: z.int() }), Prisma.sql`SELECT 1::int8 AS one`, 'one has the type int8'],
    [z.object({ one: z.array(z.int()) }), Prisma.sql`SELECT ARRAY['a'] AS one`, 'one has the type text[]'],
    [z.object({ name: z.string() }), Prisma.sql`SELECT boot_id AS name FROM devices`, 'name may be null'],
    [z.object({ state: z.enum(['Sent']) }), Prisma.sql`SELECT state FROM messages`, 'state has the type message_state'],
  ])('reports a difference between the schema and the rows: %#', async (row, sql, problem) => {
    expect(await problemsWith(row, sql)).toContain(problem)
  })
})

test('every raw statement is in a statement file and has an example in this test', () => {
  const withSql = sourceFiles(SOURCE).filter(
    ({ file, text }) =>
      !['store/read-rows.ts', 'store/raw-statements.ts'].includes(file) &&
      /\$(?:query|execute)Raw|\breadRows?\(/.test(text),
  )
  expect(withSql.map(({ file }) => file).sort()).toEqual(Object.keys(examples).sort())
})

const SOURCE = resolve(import.meta.dirname, '..')

/** Returns the source files of the relay without tests and generated files. */
function sourceFiles(folder: string): { readonly file: string; readonly text: string }[] {
  return globSync('**/*.ts', { cwd: folder, exclude: ['store/generated', '**/testing'] })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(resolve(folder, file), 'utf8') }))
}
