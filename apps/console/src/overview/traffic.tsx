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
import { durationWords } from '../ui/relative-words.ts'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { totalsOf } from './totals.ts'
import './traffic.css'

const periods: readonly { readonly value: StatisticsPeriod; readonly label: string }[] = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
]

const countWords = (value: number) => (Number.isInteger(value) ? value.toLocaleString() : '')

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
        title="Messages"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={[...periods]}
            value={period}
            onChange={(value) => setPeriod(value as StatisticsPeriod)}
          />
        }
      >
        <ProblemNote error={error} retry={() => void refetch()} />
        <dl className="totals">
          <Total name="Accepted" value={countWords(totals.accepted)} href={messagesPath({ from })} />
          <Total name="Sent" value={countWords(totals.sent)} />
          <Total name="Delivered" value={countWords(totals.delivered)} />
          <Total
            name="Failed"
            value={countWords(totals.failed)}
            isBad={totals.failed > 0}
            href={messagesPath({ state: 'Failed', from })}
          />
          <Total name="Received" value={countWords(totals.received)} />
        </dl>
        {data === undefined ? (
          error === null && <WaitingLines lines={6} />
        ) : (
          <LazyPlot
            summary={`Messages in the last ${period}: ${totals.sent} sent, ${totals.delivered} delivered, ${totals.failed} failed, ${totals.received} received`}
            atSeconds={drawn.atSeconds}
            lines={drawn.counts}
            words={countWords}
          />
        )}
      </Panel>
      <Panel title="From accepted to sent" about="How long a message takes until the network has every part of it.">
        {totals.sent === 0 ? (
          <p className="quiet">Nothing was sent in this time.</p>
        ) : (
          <LazyPlot
            summary={`The slowest interval in the last ${period}: half sent within ${durationWords(totals.slowestP50)}, 95 of 100 within ${durationWords(totals.slowestP95)}`}
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
    { name: 'Sent', colour: '--ink', isFilled: true, values: buckets.map(({ sent }) => sent) },
    { name: 'Delivered', colour: '--accent-ink', values: buckets.map(({ delivered }) => delivered) },
    { name: 'Received', colour: '--muted', isDashed: true, values: buckets.map(({ received }) => received) },
    // A red line along the bottom would say that something is wrong.
    ...(buckets.some(({ failed }) => failed > 0)
      ? [{ name: 'Failed', colour: '--bad' as const, values: buckets.map(({ failed }) => failed) }]
      : []),
  ]
  const times: readonly PlotLine[] = [
    {
      name: 'Half within',
      colour: '--accent-ink',
      isFilled: true,
      values: buckets.map((b) => b.acceptToSentMs?.p50 ?? null),
    },
    { name: '95 of 100 within', colour: '--warn', values: buckets.map((b) => b.acceptToSentMs?.p95 ?? null) },
  ]
  return { atSeconds: buckets.map(({ at }) => Date.parse(at) / 1000), counts, times }
}
