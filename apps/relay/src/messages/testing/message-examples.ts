import type { Statements } from '../../store/database.ts'
import { findDuplicates } from '../accept/find-duplicates-statement.ts'
import { readNamedDevices } from '../accept/read-named-devices-statement.ts'
import { readRosters } from '../accept/read-rosters-statement.ts'
import { storeAttachments } from '../accept/store-attachments-statement.ts'
import { storeMessages } from '../accept/store-messages-statement.ts'
import { approvePending, refusePending } from '../approval/decide-approval-statement.ts'
import { expireApprovals } from '../approval/expire-approvals-statement.ts'
import { findLastKey } from '../by-number/find-last-key-statement.ts'
import { clearFinishedDeliveries, markDeliveries } from '../clear-deliveries-statement.ts'
import { countInDoubt } from '../count-in-doubt-statement.ts'
import { correctCounts, correctTotals, deleteEmptyCounts, nextDayToCheck } from '../counts/correct-counts-statement.ts'
import { countMessages } from '../counts/count-messages-statement.ts'
import { skipDays } from '../counts/skip-days-statement.ts'
import {
  advanceCounts,
  lockCountProgress,
  readCountKeys,
  recordChangesUpTo,
  resetCounts,
} from '../counts/update-counts-statement.ts'
import { deleteOldMessages } from '../delete-old-messages-statement.ts'
import { findEmulatedSends } from '../find-emulated-sends-statement.ts'
import { findExpired } from '../find-expired-statement.ts'
import { findMessage } from '../find-message-statement.ts'
import { hashBatch } from '../hash-batch-statement.ts'
import { testMessage } from './new-message.ts'

/** Runs each statement about accepted messages, for `statements.test.ts`. */
export function messageExamples(now: Date) {
  return {
    'messages/accept/find-duplicates-statement.ts': (s: Statements) => findDuplicates(s, [testMessage('m')]),
    'messages/accept/read-named-devices-statement.ts': (s: Statements) =>
      readNamedDevices(s, [{ accountId: 'account', deviceId: 'device' }], 1),
    'messages/accept/read-rosters-statement.ts': (s: Statements) => readRosters(s, ['account'], 1),
    'messages/accept/store-attachments-statement.ts': (s: Statements) =>
      storeAttachments(s, testMessage('m'), [{ contentType: 'image/png', data: 'aGk=' }]),
    'messages/accept/store-messages-statement.ts': (s: Statements) => storeMessages(s, [testMessage('m')], 1_000),
    'messages/by-number/find-last-key-statement.ts': (s: Statements) => findLastKey(s, 'account', '+447400123456'),
    'messages/count-in-doubt-statement.ts': (s: Statements) => countInDoubt(s as never),
    'messages/clear-deliveries-statement.ts': async (s: Statements) => {
      await markDeliveries(s, [{ webhookKey: 1n, id: 'event' }])
      await clearFinishedDeliveries(s)
    },
    'messages/counts/correct-counts-statement.ts': async (s: Statements) => {
      const from = await nextDayToCheck(s, 'account', new Date(0))
      await correctCounts(s, { accountId: 'account', from: from ?? now, to: now, counted: 1n })
      await correctTotals(s)
      await deleteEmptyCounts(s)
    },
    'messages/counts/count-messages-statement.ts': async (s: Statements) => {
      const filter = { accountId: 'account', states: ['Pending'] as const, deviceId: 'device' }
      await countMessages(s, filter)
      await countMessages(s, { ...filter, from: new Date(0), to: now })
    },
    'messages/counts/update-counts-statement.ts': async (s: Statements) => {
      const { last } = await readCountKeys(s)
      const counted = await lockCountProgress(s)
      await recordChangesUpTo(s, counted)
      await advanceCounts(s, counted, last, 1)
      await resetCounts(s)
    },
    'messages/counts/skip-days-statement.ts': (s: Statements) =>
      skipDays(s, { accountId: 'account', states: ['Pending'] as const, deviceId: 'device', to: now }, 'DESC', 0),
    'messages/delete-old-messages-statement.ts': (s: Statements) =>
      deleteOldMessages({ database: s, clock: { now: () => now } }),
    'messages/find-emulated-sends-statement.ts': (s: Statements) => findEmulatedSends(s, 1),
    'messages/approval/decide-approval-statement.ts': async (s: Statements) => {
      await approvePending(s, { accountId: 'account', id: 'm', by: 'sms', at: now })
      await refusePending(s, { accountId: 'account', id: 'm', by: 'sms', at: now })
    },
    'messages/approval/expire-approvals-statement.ts': (s: Statements) => expireApprovals(s, now, 1),
    'messages/find-expired-statement.ts': (s: Statements) => findExpired(s, now, 1),
    'messages/hash-batch-statement.ts': async (s: Statements) => {
      await s.message.updateMany({ data: { finishedAt: now } })
      await hashBatch(s, now, 1)
    },
    'messages/find-message-statement.ts': (s: Statements) => findMessage(s, 'account', 'm'),
  }
}
