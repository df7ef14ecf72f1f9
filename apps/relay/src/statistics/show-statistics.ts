import {
  type StatisticsBucket,
  type StatisticsPeriod,
  statistics,
  statisticsQuery,
} from '@smsgw/contract/messages/statistics'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { CountedTraffic } from './count-traffic-statement.ts'
import { KeptTraffic } from './kept-traffic.ts'

export type ShowStatisticsDeps = Pick<CoreDeps, 'database' | 'clock'>

export function showStatistics({ database, clock }: ShowStatisticsDeps): Endpoint {
  const kept = new KeptTraffic(clock)
  return endpoint({
    query: statisticsQuery,
    answers: { 200: statistics },
    isCompressible: true,
    async handle({ principal: { accountId }, query: { period } }) {
      const { stepSeconds, buckets } = scales[period]
      const stepMs = stepSeconds * 1000
      const last = Math.floor(clock.now().getTime() / stepMs) * stepMs
      const from = new Date(last - (buckets - 1) * stepMs)
      const traffic = await kept.read(database, { accountId, from, stepSeconds, buckets })
      return { status: 200, body: { period, stepSeconds, buckets: traffic.map(bucketOf) } }
    },
  })
}

/** The time buckets of each period. A chart can show this number of buckets. Each bucket starts at a round time. */
const scales: Readonly<Record<StatisticsPeriod, { readonly stepSeconds: number; readonly buckets: number }>> = {
  hour: { stepSeconds: 60, buckets: 60 },
  day: { stepSeconds: 900, buckets: 96 },
  week: { stepSeconds: 7_200, buckets: 84 },
}

function bucketOf({ at, p50, p95, ...counts }: CountedTraffic): StatisticsBucket {
  const acceptToSentMs = p50 === null || p95 === null ? null : { p50: Math.round(p50), p95: Math.round(p95) }
  return { at: at.toISOString(), ...counts, acceptToSentMs }
}
