import { type LogEntryAnswer, listLogsQuery, logEntry } from '@smsgw/contract/relay/log'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import type { LogEntry } from '../store/generated/client.ts'

const MOST_ENTRIES = 1000

/** Lists log entries of the account, newest first. */
export function listLogs({ database }: { readonly database: Database }): Endpoint {
  return endpoint({
    query: listLogsQuery,
    answers: { 200: z.array(logEntry) },
    isCompressible: true,
    async handle({ principal: { accountId }, query: { from, to } }) {
      const entries = await database.logEntry.findMany({
        where: { accountId, createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: MOST_ENTRIES,
      })
      return { status: 200, body: entries.map(logEntryAnswer) }
    },
  })
}

function logEntryAnswer({ id, createdAt, module, priority, message, context }: LogEntry): LogEntryAnswer {
  return {
    id,
    createdAt: createdAt.toISOString(),
    module,
    priority: priority as LogEntryAnswer['priority'],
    message,
    ...(context !== null && { context: context as Record<string, string> }),
  }
}
