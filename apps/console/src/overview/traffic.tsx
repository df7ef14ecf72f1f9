import { SegmentedControl } from '@mantine/core'
import type { Statistics, StatisticsPeriod } from '@smsgw/contract/messages/statistics'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { get, queryString } from '../api/request/ask.ts'
import { LazyPlot } from '../plot/lazy-plot.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { durationWords, numberWords } from '../ui/values/relative-words.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { t } from '../words/text.ts'
import { totalsOf, trafficLines } from './traffic-figures.ts'
import './traffic.css'

// Repeats the list of the contract, because importing the list would load zod.
const periods: readonly StatisticsPeriod[] = ['hour', 'day', 'week']

const countWords = (value: number) => (Number.isInteger(value) ? numberWords(value) : '')

/** Message counts and sending times. */
export function TrafficChart() {
  const [period, setPeriod] = useUrlValue<StatisticsPeriod>('period', 'hour', periods)
  const { data, error, refetch } = useStatistics(period)
  const drawn = useMemo(() => trafficLines(data?.buckets ?? []), [data])
  const totals = totalsOf(data?.buckets ?? [])
  const from = data?.buckets[0]?.at
  return (
    <>
      <Panel
        title={t('messages.title')}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('period.title')}
            data={periods.map((value) => ({ value, label: t(`period.${value}`) }))}
            value={period}
            onChange={(value) => setPeriod(value as StatisticsPeriod)}
          />
        }
      >
        <ProblemNote error={error} retry={() => void refetch()} />
        <dl className="totals">
          <Total label={t('traffic.accepted')} value={countWords(totals.accepted)} href={messagesPath({ from })} />
          <Total label={t('traffic.sent')} value={countWords(totals.sent)} />
          <Total label={t('traffic.delivered')} value={countWords(totals.delivered)} />
          <Total
            label={t('traffic.failed')}
            value={countWords(totals.failed)}
            isBad={totals.failed > 0}
            href={messagesPath({ state: 'Failed', from })}
          />
          <Total label={t('traffic.received')} value={countWords(totals.received)} />
        </dl>
        <div className="traffic-plot">
          {data === undefined ? (
            error === null && <WaitingLines lines={6} />
          ) : (
            <LazyPlot
              summary={t('traffic.summary', { ...totals, period })}
              atSeconds={drawn.atSeconds}
              lines={drawn.counts}
              words={countWords}
            />
          )}
        </div>
      </Panel>
      <Panel title={t('traffic.latency')} about={t('traffic.latencyAbout')}>
        {data === undefined && error === null && (
          <div className="traffic-plot is-low">
            <WaitingLines lines={6} />
          </div>
        )}
        {data !== undefined && totals.sent === 0 && <p className="quiet">{t('traffic.noneSent')}</p>}
        {totals.sent > 0 && (
          <div className="traffic-plot is-low">
            <LazyPlot
              summary={t('traffic.latencySummary', {
                median: durationWords(totals.slowestP50),
                p95: durationWords(totals.slowestP95),
              })}
              atSeconds={drawn.atSeconds}
              lines={drawn.times}
              words={durationWords}
              hasDurations
              height={160}
            />
          </div>
        )}
      </Panel>
    </>
  )
}

function Total({
  label,
  value,
  isBad = false,
  href,
}: {
  readonly label: string
  readonly value: string
  readonly isBad?: boolean
  /** The address of a page with these messages. */
  readonly href?: string | undefined
}) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={isBad ? 'is-bad' : undefined}>{href === undefined ? value : <Link href={href}>{value}</Link>}</dd>
    </div>
  )
}

function messagesPath(filter: Readonly<Record<string, string | undefined>>): string {
  return `/messages${queryString(filter)}`
}

function useStatistics(period: StatisticsPeriod) {
  return useQuery({
    queryKey: ['statistics', period],
    queryFn: ({ signal }) => get<Statistics>(`/statistics${queryString({ period })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
}
