import type { Statistics, StatisticsPeriod } from '@smsgw/contract/messages/statistics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get, queryString } from './request/ask.ts'

export function useStatistics(period: StatisticsPeriod) {
  return useQuery({
    queryKey: ['statistics', period],
    queryFn: ({ signal }) => get<Statistics>(`/statistics${queryString({ period })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}
