import { readFileSync } from 'node:fs'
import { webhookPayloads } from '@smsgw/contract/webhook-event'
import { expect, test } from 'vitest'
import type { HappenedEvent, ReceivedText } from './happened-event.ts'
import { localTime } from './local-time.ts'
import { payloadOf } from './payload.ts'

const golden: Record<string, unknown> = JSON.parse(
  readFileSync(new URL('golden-payloads.json', import.meta.url), 'utf8'),
)
const deviceId = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const inBangkok = localTime('2026-03-01T15:46:11+07:00')
const inbound = { deviceId, sender: '+14155550142', recipient: '+66812345678', simNumber: 1, receivedAt: inBangkok }
const unknownSim: ReceivedText = {
  event: 'sms:received',
  deviceId,
  messageId: '3f1c8a5e90b24d6f8a7e5c1d2b3a4f60',
  sender: 'MYBANK',
  recipient: null,
  simNumber: 1,
  receivedAt: localTime('2026-03-01T08:46:11.250Z'),
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
const opaque = '$aes-256-cbc/pbkdf2-sha1$i=300000$AAECAwQFBgcICQoLDA0ODw==$b3BhcXVlIG51bWJlcg=='

const happened: Record<string, HappenedEvent> = {
  'a text comes in on the second SIM': {
    ...inbound,
    event: 'sms:received',
    messageId: unknownSim.messageId,
    simNumber: 2,
    message: 'See you at 5 – สวัสดี',
  },
  'a text comes in on a SIM that does not tell its number': unknownSim,
  'data comes in': {
    ...inbound,
    event: 'sms:data-received',
    messageId: '9a0b1c2d3e4f5061728394a5b6c7d8e9',
    data: '3q2+7w==',
    port: 53739,
    receivedAt: localTime('2026-03-01T05:16:11-03:30'),
  },
  'an MMS is announced': {
    ...mms,
    transactionId: 'T18c2',
    subject: 'Holiday',
    size: 31744,
    contentClass: 'image-rich',
    contentLocation: 'http://mms.example.net/T18c2',
    expiresAt: '2026-03-04T08:46:11Z',
  },
  'an MMS is announced that says as little as it may': {
    ...mms,
    sender: '',
    recipient: null,
    transactionId: 'T18c3',
    size: 0,
    contentClass: '',
  },
  'a message is sent': { ...outbound, event: 'sms:sent', partsCount: 2 },
  'a message is sent by a SIM that does not tell its number': {
    ...outbound,
    event: 'sms:sent',
    sender: null,
    partsCount: 1,
  },
  'a message is delivered': {
    ...outbound,
    event: 'sms:delivered',
    at: localTime('2026-03-01T15:46:19+07:00'),
  },
  'a message fails': {
    ...outbound,
    event: 'sms:failed',
    code: 'CMS 38',
    reason: 'partial 2/3: the network refused it (CMS 38)',
  },
  'a message expires before any device had it': {
    ...outbound,
    event: 'sms:failed',
    sender: null,
    simNumber: null,
    code: 'ttl_expired',
    reason: 'TTL expired',
    at: localTime('2026-03-01T08:46:11Z'),
  },
  'an encrypted message is cancelled': { ...outbound, event: 'sms:cancelled', recipient: opaque },
  'the device says that it is well': {
    event: 'system:ping',
    deviceId,
    occurrence: 'journal:1',
    health: { status: 'pass', version: '1.0.0' },
  },
  'the agent starts': {
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
  'stored texts are told again together': { event: 'sms:batch:received', deviceId, messages: [unknownSim] },
}

test.each(Object.entries(happened))('%s: the payload is the golden one, to the byte', (title, event) => {
  expect(JSON.stringify(payloadOf(event))).toBe(JSON.stringify(golden[title]))
  expect(webhookPayloads[event.event].parse(golden[title])).toEqual(golden[title])
})

test('every golden payload has an event that makes it', () => {
  expect(Object.keys(happened)).toEqual(Object.keys(golden))
})
