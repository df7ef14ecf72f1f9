import { z } from 'zod'
import { requestQuery } from './request-query.ts'
import { utcTime } from './times.ts'

export const statisticsPeriods = ['hour', 'day', 'week'] as const

export const statisticsQuery = requestQuery({
  period: z.enum(statisticsPeriods).default('day').meta({ description: 'How far back; now is in the last bucket' }),
})

const count = z.int().min(0)
const milliseconds = z.int().min(0)

const statisticsBucket = z
  .strictObject({
    at: utcTime.meta({ description: 'Where it begins' }),
    accepted: count,
    sent: count,
    delivered: count,
    failed: count,
    received: count,
    acceptToSentMs: z
      .strictObject({ p50: milliseconds, p95: milliseconds })
      .nullable()
      .meta({ description: 'Of those sent then, from acceptance or `scheduleAt` on; null when nothing was' }),
  })
  .meta({ id: 'StatisticsBucket' })

export const statistics = z
  .strictObject({
    period: z.enum(statisticsPeriods),
    stepSeconds: z.int().min(1).meta({ description: 'Length of a bucket' }),
    buckets: z.array(statisticsBucket).meta({ description: 'Oldest first, empty ones included' }),
  })
  .meta({ id: 'Statistics', description: 'What happened when: each message counts in the bucket of each step it took' })

export type StatisticsPeriod = (typeof statisticsPeriods)[number]
export type Statistics = z.output<typeof statistics>
export type StatisticsBucket = z.output<typeof statisticsBucket>
