import { z } from 'zod'
import { refuseReversedRange, timeRange } from '../fields/paging.ts'
import { requestQuery } from '../fields/request-query.ts'
import { utcTime } from '../fields/times.ts'

export const logEntry = z
  .strictObject({
    id: z.int(),
    createdAt: utcTime,
    module: z.string(),
    priority: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
    message: z.string(),
    context: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'LogEntry' })

export const listLogsQuery = requestQuery(timeRange).check(refuseReversedRange)

export type LogEntryAnswer = z.output<typeof logEntry>
