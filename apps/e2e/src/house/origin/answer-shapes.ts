// The answers and webhooks of the API with the Go types that the published client has for them.
import type { GoShape } from './go-decode.ts'

export interface OriginMessageState {
  readonly id: string
  readonly deviceId: string
  readonly state: string
  readonly isHashed: boolean
  readonly isEncrypted: boolean
  readonly recipients: readonly { readonly phoneNumber: string; readonly state: string; readonly error?: string }[]
  readonly states: Readonly<Record<string, string>>
  readonly textMessage?: { readonly text: string }
  readonly dataMessage?: { readonly data: string; readonly port: number }
  readonly mmsMessage?: OriginMms
}

export interface OriginMms {
  readonly subject?: string
  readonly text?: string
  readonly attachments?: readonly { readonly contentType: string; readonly name?: string; readonly data: string }[]
}

const messageState: GoShape = {
  fields: {
    id: 'string',
    deviceId: 'string',
    state: 'string',
    isHashed: 'bool',
    isEncrypted: 'bool',
    recipients: { list: { fields: { phoneNumber: 'string', state: 'string', error: 'string' } } },
    states: { map: 'time' },
    createdAt: 'time',
    textMessage: { fields: { text: 'string' } },
    dataMessage: { fields: { data: 'string', port: 'uint16' } },
    hashedMessage: { fields: { hash: 'string' } },
    mmsMessage: {
      fields: {
        subject: 'string',
        text: 'string',
        attachments: { list: { fields: { contentType: 'string', name: 'string', data: 'string' } } },
      },
    },
  },
}

export interface OriginDevice {
  readonly id: string
  readonly name: string
  readonly lastSeen: string
  readonly deletedAt?: string
  readonly publicKey?: string
  readonly keyVersion?: number
}

const simCard: GoShape = {
  fields: { slotIndex: 'int', simNumber: 'int', phoneNumber: 'string', carrierName: 'string', iccid: 'string' },
}

const device: GoShape = {
  fields: {
    id: 'string',
    name: 'string',
    createdAt: 'time',
    updatedAt: 'time',
    deletedAt: 'time',
    lastSeen: 'time',
    simCards: { list: simCard },
    publicKey: 'string',
    keyVersion: 'int',
  },
}

export interface OriginIncomingMessage {
  readonly id: string
  readonly type: string
  readonly sender: string
  readonly contentPreview: string
  readonly createdAt: string
}

const incomingMessage: GoShape = {
  fields: {
    id: 'string',
    type: 'string',
    sender: 'string',
    recipient: 'string',
    simNumber: 'uint8',
    contentPreview: 'string',
    createdAt: 'time',
    isEncrypted: 'bool',
    attachments: { list: { fields: { partId: 'int', name: 'string', size: 'int', contentType: 'string' } } },
  },
}

export interface OriginWebhook {
  readonly id: string
  readonly url: string
  readonly event: string
  readonly deviceId: string | null
}

const webhook: GoShape = { fields: { id: 'string', deviceId: 'string', url: 'string', event: 'string' } }

export interface OriginToken {
  readonly id: string
  readonly token_type: string
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_at: string
}

const token: GoShape = {
  fields: {
    id: 'string',
    token_type: 'string',
    access_token: 'string',
    refresh_token: 'string',
    expires_at: 'time',
  },
}

export interface OriginLogEntry {
  readonly id: number
  readonly priority: string
  readonly message: string
  readonly createdAt: string
}

const logEntry: GoShape = {
  fields: {
    id: 'uint64',
    priority: 'string',
    module: 'string',
    message: 'string',
    context: { map: 'any' },
    createdAt: 'time',
  },
}

const check: GoShape = {
  fields: { description: 'string', observedUnit: 'string', observedValue: 'int', status: 'string' },
}

const health: GoShape = {
  fields: { status: 'string', version: 'string', releaseId: 'int', checks: { map: check } },
}

export type OriginSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const settings: GoShape = {
  fields: {
    encryption: { fields: { passphrase: 'string' } },
    messages: {
      fields: {
        send_interval_min: 'int',
        send_interval_max: 'int',
        limit_period: 'string',
        limit_value: 'int',
        sim_selection_mode: 'string',
        log_lifetime_days: 'int',
        processing_order: 'string',
        work_hours_enabled: 'bool',
        work_hours_start: 'string',
        work_hours_end: 'string',
      },
    },
    ping: { fields: { interval_seconds: 'int' } },
    logs: { fields: { lifetime_days: 'int' } },
    webhooks: { fields: { internet_required: 'bool', retry_count: 'int', signing_key: 'string' } },
    gateway: { fields: { cloud_url: 'string', private_token: 'string', notification_channel: 'string' } },
    receiver: { fields: { content_provider_enabled: 'bool' } },
  },
}

const payload = (more: Readonly<Record<string, GoShape>>): GoShape => ({
  fields: {
    messageId: 'string',
    phoneNumber: 'string',
    sender: 'string',
    recipient: 'string',
    simNumber: 'uint8',
    ...more,
  },
})

const attachment: GoShape = {
  fields: { partId: 'int', contentType: 'string', name: 'string', data: 'string', size: 'int' },
}
const received = payload({ message: 'string', receivedAt: 'time' })

/** The payload of each event that a proof waits for. */
const payloads: Readonly<Record<string, GoShape>> = {
  'sms:received': received,
  'sms:batch:received': { fields: { messages: { list: received } } },
  'sms:data-received': payload({ data: 'string', receivedAt: 'time' }),
  'sms:sent': payload({ sentAt: 'time' }),
  'sms:delivered': payload({ deliveredAt: 'time' }),
  'sms:failed': payload({ failedAt: 'time', reason: 'string' }),
  'sms:cancelled': payload({ cancelledAt: 'time' }),
  'mms:downloaded': payload({
    subject: 'string',
    body: 'string',
    attachments: { list: attachment },
    receivedAt: 'time',
  }),
}

export const webhookRequest = (event: string): GoShape => ({
  fields: {
    deviceId: 'string',
    event: 'string',
    id: 'string',
    webhookId: 'string',
    payload: payloads[event] ?? { map: 'any' },
  },
})

/** The answers of the API. */
export const originShapes = { messageState, device, incomingMessage, webhook, token, logEntry, health, settings }
