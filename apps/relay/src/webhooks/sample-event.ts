import type { ToldEvent } from '@smsgw/contract/webhook-event'
import type { HappenedEvent, ReceivedData, ReceivedMms, ReceivedText } from './happened-event.ts'
import type { LocalTime } from './local-time.ts'

/** What a test of a webhook sends: every event once, as it could have happened just now. */
export function sampleEvent(event: ToldEvent, deviceId: string, at: LocalTime, occurrence: string): HappenedEvent {
  return samples[event]({ deviceId, at, occurrence })
}

interface Occasion {
  readonly deviceId: string
  readonly at: LocalTime
  readonly occurrence: string
}

const samples: { readonly [Event in ToldEvent]: (occasion: Occasion) => HappenedEvent & { readonly event: Event } } = {
  'sms:received': sampleText,
  'sms:data-received': sampleData,
  'mms:received': sampleMms,
  'sms:sent': (occasion) => ({ event: 'sms:sent', ...outbound(occasion), partsCount: 1 }),
  'sms:delivered': (occasion) => ({ event: 'sms:delivered', ...outbound(occasion) }),
  'sms:failed': (occasion) => ({ event: 'sms:failed', ...outbound(occasion), code: 'test', reason: 'this is a test' }),
  'sms:cancelled': (occasion) => ({ event: 'sms:cancelled', ...outbound(occasion) }),
  'system:ping': ({ deviceId, occurrence }) => ({
    event: 'system:ping',
    deviceId,
    occurrence,
    health: { status: 'pass' },
  }),
  'app:started': ({ deviceId, occurrence }) => ({
    event: 'app:started',
    deviceId,
    occurrence,
    simCards: [{ simNumber: 1, state: 'ready', phoneNumber: OWN_NUMBER }],
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
}

/** Of the numbers that are set aside for examples and belong to nobody. */
const OWN_NUMBER = '+12025550100'
const OTHER_NUMBER = '+12025550123'

function sampleText(occasion: Occasion): ReceivedText {
  return { event: 'sms:received', ...inbound(occasion), message: 'This is a test' }
}

function sampleData(occasion: Occasion): ReceivedData {
  return { event: 'sms:data-received', ...inbound(occasion), data: 'dGVzdA==', port: 53739 }
}

function sampleMms(occasion: Occasion): ReceivedMms {
  const announced = { transactionId: 'test', subject: 'This is a test', size: 31_744, contentClass: 'image-basic' }
  return { event: 'mms:received', ...inbound(occasion), ...announced }
}

function inbound({ deviceId, at }: Occasion) {
  const numbers = { sender: OTHER_NUMBER, recipient: OWN_NUMBER, simNumber: 1 }
  return { deviceId, messageId: 'test', ...numbers, receivedAt: at }
}

function outbound({ deviceId, at, occurrence }: Occasion) {
  const numbers = { sender: OWN_NUMBER, recipient: OTHER_NUMBER, simNumber: 1 }
  return { deviceId, cmdId: occurrence, messageId: 'test', ...numbers, at }
}
