import type { Retention } from '../settings/retention.ts'
import { deleteOldLogs } from './delete-old-logs-statement.ts'

export const logRetention: Retention = {
  name: 'log retention',
  days: ({ logs }) => logs.lifetime_days,
  deleteOlder: deleteOldLogs,
}
