import { z } from 'zod'
import { requestQuery } from '../fields/request-query.ts'
import { utcTime } from '../fields/times.ts'

export const statisticsPeriods = ['hour', 'day', 'week'] as const

export const statisticsQuery = requestQuery({
  period: z
    .enum(statisticsPeriods)
    .default('day')
    .meta({ description: 'Period to cover; the last bucket contains the current time' }),
})

const count = z.int().min(0)
const milliseconds = z.int().min(0)

const statisticsBucket = z
  .strictObject({
    at: utcTime.meta({ description: 'Start of the bucket' }),
    accepted: count,
    sent: count,
    delivered: count,
    failed: count,
    received: count,
    acceptToSentMs: z.strictObject({ p50: milliseconds, p95: milliseconds }).nullable().meta({
      description:
        'For the messages sent in this bucket: time from acceptance, or from `scheduleAt`, to sending; null when none were sent',
    }),
  })
  .meta({ id: 'StatisticsBucket' })

export const statistics = z
  .strictObject({
    period: z.enum(statisticsPeriods),
    stepSeconds: z.int().min(1).meta({ description: 'Length of a bucket in seconds' }),
    buckets: z.array(statisticsBucket).meta({ description: 'Oldest first, including empty buckets' }),
  })
  .meta({
    id: 'Statistics',
    description: 'Message counts over time. Each step of a message is counted in the time bucket in which it happened',
  })

export type StatisticsPeriod = (typeof statisticsPeriods)[number]
export type Statistics = z.output<typeof statistics>
export type StatisticsBucket = z.output<typeof statisticsBucket>
