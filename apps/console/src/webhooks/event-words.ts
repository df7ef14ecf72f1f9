import type { WebhookEvent } from '@smsgw/contract/webhook-event'

/** What can be registered and is told. */
export const eventWords: Readonly<Partial<Record<WebhookEvent, string>>> = {
  'sms:received': 'a message came in',
  'sms:sent': 'the network took every part',
  'sms:delivered': 'the phone has it',
  'sms:failed': 'it could not be sent, and why',
  'sms:cancelled': 'it was stopped in time',
  'sms:data-received': 'data came in for a port',
  'mms:received': 'an MMS was announced',
  'system:ping': 'a device is alive',
  'app:started': 'a device has started',
  'sms:batch:received': 'messages of an inbox refresh',
  'sms:batch:data-received': 'data of an inbox refresh',
  'mms:batch:received': 'MMS of an inbox refresh',
}
