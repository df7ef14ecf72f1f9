import type { Database } from '../../store/database.ts'

const HOUR_MS = 3_600_000
/** Recent, because a relay deletes old and expired rows while a test runs. */
const at = new Date(Date.now() - HOUR_MS)
const expiresAt = new Date(Date.now() + 24 * HOUR_MS)
const heldSince = new Date('2026-02-28T12:00:00Z')

/**
 * Gives an account rows in every table that a move copies. Rows of another account come first, so that keys have gaps.
 */
export async function fillAccount(database: Database, accountId: string): Promise<void> {
  for (const name of ['other', 'own', 'more'] as const) {
    const other = `${accountId}-other`
    if (name === 'other') await database.account.create({ data: { id: other, username: other, passwordHash: '-' } })
    await fill(database, name === 'other' ? other : accountId, name)
  }
}

async function fill(database: Database, accountId: string, name: string): Promise<void> {
  const id = (text: string) => `${text}-${name}-${accountId}`.slice(0, 60)
  const own = { accountId, createdAt: at }
  const [keyId, familyId, tokenHash] = [id('key'), id('family'), id('session')]
  const deviceId = `${name.padEnd(6, '-')}${accountId}`.slice(0, 21)
  await database.apiKey.create({ data: { id: keyId, ...own, name, scopes: ['messages:send'], secretHash: 'hash' } })
  await database.apiKeyUsage.create({ data: { keyId, day: at, recipients: 3 } })
  await database.tokenFamily.create({ data: { id: familyId, ...own, scopes: [], expiresAt, keyId } })
  await database.tokenFamily.create({
    data: { id: `${familyId}-2`, ...own, scopes: ['all:any'], expiresAt, parentId: familyId },
  })
  await database.token.create({ data: { jti: id('token'), familyId, kind: 'access', expiresAt, accountId } })
  await database.session.create({ data: { tokenHash, ...own, credentialVersion: 1, expiresAt } })
  await database.recognisedLogin.create({ data: { loginHash: id('login'), accountId, credentialVersion: 1 } })
  await database.pairingCode.create({
    data: { prefix: id('prefix'), secretHash: id('code'), accountId, expiresAt },
  })
  await database.enrolmentToken.create({ data: { tokenHash: id('enrolment'), ...own } })
  await fillDevice(database, accountId, deviceId)
  await fillMessages(database, accountId, deviceId, id)
  // A relay also deletes the labels and notes of a conversation that has no messages.
  const number = `+4474001${id('').length}${id('').charCodeAt(1)}`
  await fillInbox(database, accountId, deviceId, number, id)
  await fillConversations(database, accountId, number, id)
  await fillWebhooks(database, accountId, deviceId, id)
  await database.logEntry.create({
    data: { ...own, module: 'test', priority: 'INFO', message: name, context: { a: 1 } },
  })
  await database.pushSubscription.create({
    data: {
      ...{ id: id('push'), ...own, endpointHash: id('endpoint'), endpointSealed: 'x', service: 's', p256dh: 'p' },
      ...{ authSealed: 'a', events: [], showsText: true, language: 'en', sessionHash: tokenHash },
    },
  })
}

async function fillDevice(database: Database, accountId: string, deviceId: string): Promise<void> {
  await database.device.create({
    data: {
      ...{ id: deviceId, accountId, name: 'pi', publicKey: deviceId, connEpoch: 7, simNames: { 1: 'a' } },
      ...{ phoneTokenHash: deviceId.startsWith('more') ? `phone-${deviceId}` : null },
    },
  })
  await database.deviceJournal.create({ data: { deviceId, journalId: 'journal', mark: 5, markTag: 'tag' } })
  await database.simCard.create({ data: { deviceId, simNumber: 1, state: 'ready', signal: 20 } })
  await database.telemetry.create({ data: { deviceId, at, sample: { load: 0.5 } } })
  await database.deviceWaiting.create({ data: { deviceId, connEpoch: 7, report: {}, at } })
  await database.phonePush.create({
    data: { deviceId, tokenSealed: 't', noticedUntil: at, settingsVersion: 1, nextAttemptAt: at },
  })
  await database.deviceCommand.create({ data: { cmdId: `c-${deviceId}`, deviceId, accountId, command: { a: [1] } } })
}

type MakeId = (text: string) => string

async function fillMessages(database: Database, accountId: string, deviceId: string, id: MakeId): Promise<void> {
  const { key } = await database.message.create({
    data: {
      ...{ accountId, id: id('message'), deviceId, createdAt: at, text: "it's \\ \t a\nü 👋", mms: { subject: 's' } },
      ...{ idempotencyKey: id('idempotency'), idempotencyFingerprint: Buffer.from([0, 255, 1]), state: 'Processed' },
      isPartlyFailed: true,
    },
  })
  await database.messageAttachment.create({
    data: { messageKey: key, position: 0, contentType: 'image/png', size: 3, octets: Buffer.from([1, 0, 2]) },
  })
  const cmdId = id('cmd')
  const recipient = { messageKey: key, accountId, deviceId, phoneNumber: '+447400123456', dueAt: at }
  await database.recipient.create({
    data: {
      ...{ ...recipient, cmdId, position: 0 },
      ...{ state: 'Processed', dispatchedJournal: 'journal', dispatchedAt: at },
    },
  })
  await database.recipient.create({ data: { ...recipient, cmdId: id('failed'), position: 1, state: 'Failed' } })
  await database.part.create({ data: { cmdId, index: 1, result: 'accepted', reference: 7 } })
}

async function fillInbox(
  database: Database,
  accountId: string,
  deviceId: string,
  sender: string,
  id: MakeId,
): Promise<void> {
  const one = { accountId, deviceId, type: 'sms', sender, createdAt: at }
  const { key } = await database.inboxItem.create({ data: { ...one, id: id('in'), text: 'received' } })
  const read = await database.inboxItem.create({ data: { ...one, id: id('read'), data: Buffer.from([9]) } })
  await database.inboxItem.update({ where: { key: read.key }, data: { isUnread: false } })
  await database.inboxAttachment.create({
    data: {
      inboxKey: key,
      partId: 1,
      position: 0,
      name: 'a',
      contentType: 'text/plain',
      size: 1,
      octets: Buffer.of(7),
    },
  })
}

async function fillConversations(database: Database, accountId: string, number: string, id: MakeId): Promise<void> {
  const labelId = id('label')
  await database.label.create({ data: { id: labelId, accountId, name: id('name'), color: 'red' } })
  await database.conversationState.create({ data: { accountId, number, archivedAt: at, assignee: 'alice' } })
  await database.conversationLabel.create({ data: { accountId, number, labelId } })
  await database.conversationNote.create({ data: { id: id('note'), accountId, number, text: 'note', author: 'alice' } })
}

async function fillWebhooks(database: Database, accountId: string, deviceId: string, id: MakeId): Promise<void> {
  const { key } = await database.webhook.create({
    data: {
      ...{ accountId, id: id('hook'), url: 'https://receiver.example', event: 'sms:sent', secretSealed: 's' },
      // A user has paused it, so that no worker sends to it.
      heldSince,
    },
  })
  const first = await database.webhookDelivery.create({
    data: { id: id('first'), webhookKey: key, accountId, deviceId, event: 'sms:sent', payload: { n: 1.5 } },
  })
  const delivery = await database.webhookDelivery.create({
    data: {
      ...{ id: id('second'), webhookKey: key, accountId, deviceId, event: 'sms:sent', payload: {} },
      ...{ followsId: first.id, followsWebhookKey: key },
    },
  })
  await database.webhookAttempt.create({
    data: { deliveryKey: delivery.key, number: 1, startedAt: at, durationMs: 5, status: 500 },
  })
  await database.webhookDeliveryToClear.create({ data: { deliveryKey: delivery.key } })
}
