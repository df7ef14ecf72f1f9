import { SegmentedControl } from '@mantine/core'
import type { StatisticsBucket, StatisticsPeriod } from '@smsgw/contract/statistics'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { query } from '../api/ask.ts'
import { useStatistics } from '../api/statistics.ts'
import { LazyPlot } from '../plot/lazy-plot.tsx'
import type { PlotLine } from '../plot/plot.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { durationWords, numberWords } from '../ui/relative-words.ts'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { t } from '../words/text.ts'
import { totalsOf } from './totals.ts'
import './traffic.css'

const periods: readonly StatisticsPeriod[] = ['hour', 'day', 'week']

const countWords = (value: number) => (Number.isInteger(value) ? numberWords(value) : '')

/** How much went through, and how fast. */
export function Traffic() {
  const [period, setPeriod] = useState<StatisticsPeriod>('hour')
  const { data, error, refetch } = useStatistics(period)
  const drawn = useMemo(() => drawnFrom(data?.buckets ?? []), [data])
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
          <Total name={t('traffic.accepted')} value={countWords(totals.accepted)} href={messagesPath({ from })} />
          <Total name={t('messageState.Sent')} value={countWords(totals.sent)} />
          <Total name={t('messageState.Delivered')} value={countWords(totals.delivered)} />
          <Total
            name={t('messageState.Failed')}
            value={countWords(totals.failed)}
            isBad={totals.failed > 0}
            href={messagesPath({ state: 'Failed', from })}
          />
          <Total name={t('traffic.received')} value={countWords(totals.received)} />
        </dl>
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
      </Panel>
      <Panel title={t('traffic.latency')} about={t('traffic.latencyAbout')}>
        {totals.sent === 0 ? (
          <p className="quiet">{t('traffic.noneSent')}</p>
        ) : (
          <LazyPlot
            summary={t('traffic.latencySummary', {
              median: durationWords(totals.slowestP50),
              p95: durationWords(totals.slowestP95),
            })}
            atSeconds={drawn.atSeconds}
            lines={drawn.times}
            words={durationWords}
            height={160}
          />
        )}
      </Panel>
    </>
  )
}

function Total({
  name,
  value,
  isBad = false,
  href,
}: {
  readonly name: string
  readonly value: string
  readonly isBad?: boolean
  /** Which they are. */
  readonly href?: string | undefined
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isBad ? 'is-bad' : undefined}>{href === undefined ? value : <Link href={href}>{value}</Link>}</dd>
    </div>
  )
}

function messagesPath(filter: Readonly<Record<string, string | undefined>>): string {
  return `/messages${query(filter)}`
}

function drawnFrom(buckets: readonly StatisticsBucket[]) {
  const counts: readonly PlotLine[] = [
    { name: t('messageState.Sent'), colour: '--ink', isFilled: true, values: buckets.map(({ sent }) => sent) },
    { name: t('messageState.Delivered'), colour: '--accent-ink', values: buckets.map(({ delivered }) => delivered) },
    { name: t('traffic.received'), colour: '--muted', isDashed: true, values: buckets.map(({ received }) => received) },
    // A red line along the bottom would say that something is wrong.
    ...(buckets.some(({ failed }) => failed > 0)
      ? [{ name: t('messageState.Failed'), colour: '--bad' as const, values: buckets.map(({ failed }) => failed) }]
      : []),
  ]
  const times: readonly PlotLine[] = [
    {
      name: t('traffic.median'),
      colour: '--accent-ink',
      isFilled: true,
      values: buckets.map((b) => b.acceptToSentMs?.p50 ?? null),
    },
    { name: t('traffic.p95'), colour: '--warn', values: buckets.map((b) => b.acceptToSentMs?.p95 ?? null) },
  ]
  return { atSeconds: buckets.map(({ at }) => Date.parse(at) / 1000), counts, times }
}
