import type { DeviceAnswer } from '@smsgw/contract/device'
import type { MessageState } from '@smsgw/contract/message-states'

export interface Conversation {
  readonly number: string
  readonly lastAt: string
  readonly lastText: string
  readonly lastDirection: 'in' | 'out'
  readonly lastState?: MessageState
  readonly lastMessageId: string
}

interface Content {
  readonly id: string
  readonly at: string
  readonly text?: string
  readonly data?: string
  readonly port?: number
  readonly simNumber?: number
  readonly deviceId: string
}

export interface OutgoingItem extends Content {
  readonly direction: 'out'
  readonly state: MessageState
  readonly error?: string
  readonly recipientsCount: number
  readonly scheduleAt?: string
  readonly partsCount?: number
}

export interface IncomingItem extends Content {
  readonly direction: 'in'
  readonly type: string
}

export type ThreadItem = OutgoingItem | IncomingItem

export interface TimelineEntry {
  readonly at: string
  readonly kind: string
  readonly recipient?: string
  readonly part?: { readonly index: number; readonly total: number; readonly reference?: number }
  readonly code?: string
  readonly text: string
  readonly advice?: string
  readonly webhook?: {
    readonly webhookId: string
    readonly deliveryId: string
    readonly event: string
    readonly httpStatus?: number
    readonly error?: string
  }
}

export interface Timeline {
  readonly id: string
  readonly entries: readonly TimelineEntry[]
}

export interface ModemDetails {
  readonly simNumber?: number
  readonly state: string
  readonly model?: string
  readonly manufacturer?: string
  readonly firmware?: string
  readonly imei?: string
  readonly signal?: number
  readonly signalDbm?: number
  readonly operator?: string
  readonly technology?: string
  readonly registration?: string
  readonly storageUsed?: number
  readonly storageTotal?: number
  readonly recoverySteps?: number
  readonly lastError?: string
}

export interface DeviceDetails extends DeviceAnswer {
  readonly version?: string
  readonly platform?: string
  readonly connectedSince?: string
  readonly queue?: { readonly pending: number; readonly processed: number }
  readonly journal?: { readonly sizeBytes?: number; readonly fsyncMs?: number }
  readonly modems: readonly ModemDetails[]
  readonly lastErrors: readonly { readonly at: string; readonly module: string; readonly message: string }[]
}

export interface TelemetryPoint {
  readonly at: string
  readonly simNumber?: number
  readonly signal?: number
  readonly registration?: string
  readonly queue?: number
  readonly fsyncMs?: number
  readonly storageUsed?: number
  readonly recoverySteps?: number
}

export interface Findings {
  readonly checkedAt: string
  readonly findings: readonly {
    readonly check: string
    readonly verdict: 'ok' | 'warning' | 'problem'
    readonly text: string
    readonly advice?: string
  }[]
}
