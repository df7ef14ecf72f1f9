import type { DeviceAnswer } from '@smsgw/contract/device'

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
