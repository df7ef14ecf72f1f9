import type { Clock } from '@smsgw/modem/clock'
import type { Journal, JournalError } from '../journal/journal.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import type { FieldOpener } from './encrypted-field.ts'
import type { SendingLimits } from './sending-settings.ts'

export interface SenderOptions {
  readonly journal: Journal
  readonly clock: Clock
  readonly time: TrustedTime
  /** From 0 up to 1. */
  readonly chance: () => number
  readonly limits: SendingLimits
  /** Undefined without a passphrase. */
  readonly opener: FieldOpener | undefined
  /** Nothing can be written; what has happened is kept and written again. */
  readonly onJournalTrouble: (error: JournalError) => void
  /** A part got its reference, or will never have one: a report that came before can be matched now. */
  readonly onReference: (reference: number | undefined) => void
  /** What should not happen, and stopped nothing but the message that it happened to. */
  readonly onTrouble: (error: unknown) => void
  readonly onOpenChanged: (open: number) => void
}
