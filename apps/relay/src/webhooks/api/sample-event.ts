import { deviceHealth } from '@smsgw/contract/devices/device-health'
import type { EmittedEvent } from '@smsgw/contract/webhooks/webhook-event'
import { VERSION } from '@smsgw/daemon/version'
import type { LocalTime } from '../outbox/local-time.ts'
import type {
  OutboxEvent,
  ReceivedData,
  ReceivedMms,
  ReceivedMmsContent,
  ReceivedText,
} from '../outbox/outbox-event.ts'

/** Builds the sample of an event that a webhook test sends. */
export function sampleEvent(event: EmittedEvent, deviceId: string, at: LocalTime, occurrence: string): OutboxEvent {
  return samples[event]({ deviceId, at, occurrence })
}

interface Occasion {
  readonly deviceId: string
  readonly at: LocalTime
  readonly occurrence: string
}

const samples: { readonly [Event in EmittedEvent]: (occasion: Occasion) => OutboxEvent & { readonly event: Event } } = {
  'sms:received': sampleText,
  'sms:data-received': sampleData,
  'mms:received': sampleMms,
  'mms:downloaded': sampleMmsContent,
  'sms:sent': (occasion) => ({ event: 'sms:sent', ...outbound(occasion), partsCount: 1 }),
  'sms:delivered': (occasion) => ({ event: 'sms:delivered', ...outbound(occasion) }),
  'sms:failed': (occasion) => ({ event: 'sms:failed', ...outbound(occasion), code: 'test', reason: 'this is a test' }),
  'sms:cancelled': (occasion) => ({ event: 'sms:cancelled', ...outbound(occasion) }),
  'call:received': ({ deviceId, at, occurrence }) => ({
    ...{ event: 'call:received', deviceId, occurrence, simNumber: 1 },
    ...{ caller: OTHER_NUMBER, recipient: OWN_NUMBER, receivedAt: at },
  }),
  'system:ping': ({ deviceId, occurrence }) => ({
    event: 'system:ping',
    deviceId,
    occurrence,
    health: deviceHealth({
      version: VERSION,
      simStates: ['ready'],
      queue: { waiting: 0, inDoubt: 0 },
      journal: { sizeBytes: 1_048_576, fsyncMs: 4 },
      disk: { status: 'pass', freeBytes: 8_589_934_592 },
    }),
  }),
  'app:started': ({ deviceId, occurrence }) => ({
    event: 'app:started',
    deviceId,
    occurrence,
    simCards: [SIM],
  }),
  'sms:batch:received': (occasion) => ({
    event: 'sms:batch:received',
    deviceId: occasion.deviceId,
    messages: [sampleText(occasion)],
  }),
  'sms:batch:data-received': (occasion) => ({
    event: 'sms:batch:data-received',
    deviceId: occasion.deviceId,
    messages: [sampleData(occasion)],
  }),
  'mms:batch:received': (occasion) => ({
    event: 'mms:batch:received',
    deviceId: occasion.deviceId,
    messages: [sampleMms(occasion)],
  }),
  'mms:batch:downloaded': (occasion) => ({
    event: 'mms:batch:downloaded',
    deviceId: occasion.deviceId,
    messages: [sampleMmsContent(occasion)],
  }),
}

/** These numbers are from the range that is reserved for examples. */
const OWN_NUMBER = '+12025550100'
const OTHER_NUMBER = '+12025550123'
const SIM = {
  simNumber: 1,
  state: 'ready',
  phoneNumber: OWN_NUMBER,
  carrierName: 'Example',
  iccid: '8900000000000000000',
  signal: 75,
}

function sampleText(occasion: Occasion): ReceivedText {
  return { event: 'sms:received', ...inbound(occasion), message: 'This is a test' }
}

function sampleData(occasion: Occasion): ReceivedData {
  return { event: 'sms:data-received', ...inbound(occasion), data: 'dGVzdA==', port: 53739 }
}

function sampleMms(occasion: Occasion): ReceivedMms {
  return {
    event: 'mms:received',
    ...inbound(occasion),
    transactionId: 'test',
    subject: 'This is a test',
    size: 31_744,
    contentClass: 'image-basic',
    contentLocation: 'http://mms.example/test',
    expiresAt: new Date(occasion.at.at.getTime() + 3 * 86_400_000).toISOString(),
  }
}

function sampleMmsContent(occasion: Occasion): ReceivedMmsContent {
  return {
    event: 'mms:downloaded',
    ...inbound(occasion),
    body: 'This is a test',
    subject: 'This is a test',
    attachments: [{ partId: 1, name: 'test.jpg', size: 31_744, contentType: 'image/jpeg' }],
  }
}

function inbound({ deviceId, at }: Occasion) {
  const numbers = { sender: OTHER_NUMBER, recipient: OWN_NUMBER, simNumber: 1 }
  return { deviceId, messageId: 'test', ...numbers, receivedAt: at }
}

function outbound({ deviceId, at, occurrence }: Occasion) {
  const numbers = { sender: OWN_NUMBER, recipient: OTHER_NUMBER, simNumber: 1 }
  return { deviceId, cmdId: occurrence, messageId: 'test', ...numbers, at }
}
