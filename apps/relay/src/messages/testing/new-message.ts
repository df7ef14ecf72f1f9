import type { NewMessage } from '../accept/accept-messages.ts'

/** Returns a message to one number, with short default values for tests. */
export function testMessage(id: string, about: Partial<NewMessage> = {}): NewMessage {
  return {
    accountId: 'account',
    id,
    deviceId: 'device',
    createdAt: new Date('2026-03-01T12:00:00.000Z'),
    content: { kind: 'text', text: `text of ${id}` },
    isEncrypted: false,
    simNumber: undefined,
    withDeliveryReport: true,
    priority: undefined,
    validUntil: undefined,
    scheduleAt: undefined,
    onUncertain: undefined,
    recipients: [{ cmdId: `${id}/0`, phoneNumber: '+4915112345678' }],
    idempotency: undefined,
    sentBy: { kind: 'password' },
    ...about,
  }
}
