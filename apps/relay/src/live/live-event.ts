import type { LiveEventKind } from '@smsgw/contract/live-event'

export interface LiveEvent {
  readonly id: bigint
  readonly accountId: string
  readonly kind: LiveEventKind
  readonly data: object
}
