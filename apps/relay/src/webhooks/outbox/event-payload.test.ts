import { readFileSync } from 'node:fs'
import { deviceHealth } from '@smsgw/contract/devices/device-health'
import { type EmittedEvent, webhookPayloads } from '@smsgw/contract/webhooks/webhook-event'
import { expect, test } from 'vitest'
import { sampleEvent } from '../api/sample-event.ts'
import { payloadOf } from './event-payload.ts'
import { localTimeOf } from './local-time.ts'
import type { OutboxEvent, ReceivedText } from './outbox-event.ts'

const golden: Record<string, unknown> = JSON.parse(
  readFileSync(new URL('golden-payloads.json', import.meta.url), 'utf8'),
)
const deviceId = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const inBangkok = localTimeOf('2026-03-01T15:46:11+07:00')
const inbound = { deviceId, sender: '+14155550142', recipient: '+66812345678', simNumber: 1, receivedAt: inBangkok }
const unknownSim: ReceivedText = {
  event: 'sms:received',
  deviceId,
  messageId: '3f1c8a5e90b24d6f8a7e5c1d2b3a4f60',
  sender: 'MYBANK',
  recipient: null,
  simNumber: 1,
  receivedAt: localTimeOf('2026-03-01T08:46:11.250Z'),
  message: 'Your code is 4711',
}
const mms = { event: 'mms:received', messageId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0', ...inbound } as const
const outbound = {
  deviceId,
  cmdId: 'cmd-1',
  messageId: 'order:4711',
  recipient: '+14155550142',
  sender: '+66812345678',
  simNumber: 1,
  at: inBangkok,
}
const opaque = '$aes-256-cbc/pbkdf2-sha1$i=300000$AAECAwQFBgcICQoLDA0ODw==$Dx4tPEtaaXiHlqW0w9Lh8A=='

const outboxEvents: Record<string, OutboxEvent> = {
  'a text received on the second SIM': {
    ...inbound,
    event: 'sms:received',
    messageId: unknownSim.messageId,
    simNumber: 2,
    message: 'See you at 5 – สวัสดี',
  },
  'a text received on a SIM without a known number': unknownSim,
  'an encrypted text': {
    ...inbound,
    event: 'sms:received',
    messageId: '5b7d9f10a2c44e6f8091b3d5f7a9c1e3',
    message: '$rsa-oaep-aes-256-gcm$v=1$k=1$c2VjcmV0$AAECAwQFBgcICQoL$Dx4tPEtaaXiHlqW0w9Lh8A==',
    isEncrypted: true,
  },
  'received data': {
    ...inbound,
    event: 'sms:data-received',
    messageId: '9a0b1c2d3e4f5061728394a5b6c7d8e9',
    data: '3q2+7w==',
    port: 53739,
    receivedAt: localTimeOf('2026-03-01T05:16:11-03:30'),
  },
  'an MMS notification': {
    ...mms,
    transactionId: 'T18c2',
    subject: 'Holiday',
    size: 31744,
    contentClass: 'image-rich',
    contentLocation: 'http://mms.example.net/T18c2',
    expiresAt: '2026-03-04T08:46:11Z',
  },
  'an MMS notification with only the required members': {
    ...mms,
    sender: '',
    recipient: null,
    transactionId: 'T18c3',
    size: 0,
    contentClass: '',
  },
  'a sent message': { ...outbound, event: 'sms:sent', partsCount: 2 },
  'a message sent by a SIM without a known number': {
    ...outbound,
    event: 'sms:sent',
    sender: null,
    partsCount: 1,
  },
  'a delivered message': {
    ...outbound,
    event: 'sms:delivered',
    at: localTimeOf('2026-03-01T15:46:19+07:00'),
  },
  'a failed message': {
    ...outbound,
    event: 'sms:failed',
    code: 'CMS 38',
    reason: 'partial 2/3: the network refused it (CMS 38)',
  },
  'a message that expired before one of several SIMs was chosen': {
    ...outbound,
    event: 'sms:failed',
    sender: null,
    simNumber: null,
    code: 'ttl_expired',
    reason: 'TTL expired',
    at: localTimeOf('2026-03-01T08:46:11Z'),
  },
  'a cancelled encrypted message': { ...outbound, event: 'sms:cancelled', recipient: opaque },
  'an MMS that a phone has downloaded': {
    event: 'mms:downloaded',
    deviceId,
    messageId: '0f1e2d3c-4b5a-8978-8796-a5b4c3d2e1f0',
    sender: '+14155550142',
    recipient: '+66812345678',
    simNumber: 1,
    receivedAt: localTimeOf('2026-03-01T15:46:11+07:00'),
    body: 'Look!',
    subject: 'Holiday',
    attachments: [{ partId: 1, name: 'beach.jpg', size: 31_744, contentType: 'image/jpeg' }],
  },
  'the health report of a device': {
    event: 'system:ping',
    deviceId,
    occurrence: 'journal:1',
    health: deviceHealth({
      version: '1.0.0',
      simStates: ['ready', 'locked'],
      queue: { waiting: 3, inDoubt: 0 },
      journal: { sizeBytes: 1_200_000, fsyncMs: 4.2 },
      disk: { status: 'pass', freeBytes: 8_589_934_592 },
    }),
  },
  'a call': {
    ...{ event: 'call:received', deviceId, occurrence: 'journal:3', simNumber: 1, receivedAt: inBangkok },
    ...{ caller: '+14155550142', recipient: '+66812345678' },
  },
  'the start of an agent': {
    event: 'app:started',
    deviceId,
    occurrence: 'journal:2',
    simCards: [
      {
        simNumber: 1,
        state: 'ready',
        phoneNumber: '+66812345678',
        carrierName: 'AIS',
        iccid: '8966012345678901234',
        signal: 71,
      },
      { simNumber: 2, state: 'locked' },
    ],
  },
  'a batch of stored texts': { event: 'sms:batch:received', deviceId, messages: [unknownSim] },
}

test.each(Object.entries(outboxEvents))('%s: the payload equals the golden payload, byte for byte', (title, event) => {
  expect(JSON.stringify(payloadOf(event))).toBe(JSON.stringify(golden[title]))
  expect(webhookPayloads[event.event].parse(golden[title])).toEqual(golden[title])
})

test.each(Object.keys(webhookPayloads) as EmittedEvent[])('the sample of %s has the documented members', (event) => {
  const sample = payloadOf(sampleEvent(event, deviceId, localTimeOf('2026-03-01T15:46:11+07:00'), 'test'))
  expect(webhookPayloads[event].parse(sample)).toEqual(sample)
  const shown = Object.values(outboxEvents).filter((one) => !('isEncrypted' in one) && one.event === event)
  if (shown.length === 0) expect(event).toMatch(/:batch:/)
  else expect(membersOf([sample])).toEqual(membersOf(shown.map(payloadOf)))
})

/** Returns the paths of all members at any depth. */
function membersOf(values: readonly unknown[], path = ''): string[] {
  const all = values.flatMap((value) => {
    if (Array.isArray(value)) return membersOf(value, path)
    if (typeof value !== 'object' || value === null) return [path]
    return Object.entries(value).flatMap(([name, member]) =>
      membersOf([member], path === '' ? name : `${path}.${name}`),
    )
  })
  return [...new Set(all)].sort()
}

test('every golden payload belongs to an event', () => {
  expect(Object.keys(outboxEvents)).toEqual(Object.keys(golden))
})
