import type { Statistics, StatisticsPeriod } from '@smsgw/contract/messages/statistics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get, query } from './request/ask.ts'

export function useStatistics(period: StatisticsPeriod) {
  return useQuery({
    queryKey: ['statistics', period],
    queryFn: ({ signal }) => get<Statistics>(`/statistics${query({ period })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}
