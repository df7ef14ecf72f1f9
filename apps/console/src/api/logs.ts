import type { LogEntryAnswer } from '@smsgw/contract/relay/log'
import { useQuery } from '@tanstack/react-query'
import { get, queryString } from './request/ask.ts'

/** Lists log entries, newest first. */
export function useLogs(from: string | undefined) {
  return useQuery({
    queryKey: ['logs', from],
    queryFn: ({ signal }) => get<readonly LogEntryAnswer[]>(`/logs${queryString({ from })}`, signal),
  })
}
