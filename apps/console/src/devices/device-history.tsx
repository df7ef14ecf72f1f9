import { SegmentedControl } from '@mantine/core'
import type { TelemetryPoint } from '@smsgw/contract/device'
import { useMemo, useState } from 'react'
import { useTelemetry } from '../api/devices.ts'
import { LazyPlot } from '../plot/lazy-plot.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { durationWords } from '../ui/relative-words.ts'
import { hasValues, linesBySim, linesOfDevice } from './telemetry-lines.ts'

const spans = [
  { value: '1', label: 'Hour' },
  { value: '24', label: 'Day' },
  { value: '168', label: 'Week' },
]

const percent = (value: number) => `${Math.round(value)} %`
const count = (value: number) => (Number.isInteger(value) ? String(value) : '')
const fromZeroToHundred = [0, 100] as const

/** How signal, queue and disk have been. */
export function DeviceHistory({ id }: { readonly id: string }) {
  const [hours, setHours] = useState('1')
  const telemetry = useTelemetry(id, Number(hours))
  const drawn = useMemo(() => drawnFrom(telemetry.data ?? []), [telemetry.data])
  return (
    <Panel
      title="Signal"
      actions={<SegmentedControl size="xs" aria-label="Period" data={spans} value={hours} onChange={setHours} />}
    >
      <ProblemNote error={telemetry.error} retry={() => void telemetry.refetch()} />
      {telemetry.data &&
        (hasValues(drawn.signal.lines) ? (
          <LazyPlot
            summary={drawn.signalSummary}
            {...drawn.signal}
            words={percent}
            range={fromZeroToHundred}
            height={180}
          />
        ) : (
          <p className="quiet">Nothing was told in this time. A connected device tells its signal every minute.</p>
        ))}
      {hasValues(drawn.queue.lines) && (
        <>
          <h3>Queue</h3>
          <LazyPlot summary="Messages waiting with the device" {...drawn.queue} words={count} height={110} />
        </>
      )}
      {hasValues(drawn.disk.lines) && (
        <>
          <h3>Write to disk</h3>
          <LazyPlot summary="How long the journal takes to write" {...drawn.disk} words={durationWords} height={110} />
        </>
      )}
    </Panel>
  )
}

function drawnFrom(points: readonly TelemetryPoint[]) {
  const signals = points.flatMap(({ signal }) => (signal === undefined ? [] : [signal]))
  return {
    signal: linesBySim(points, 'signal'),
    signalSummary:
      signals.length === 0
        ? 'No signal was told'
        : `Signal between ${Math.min(...signals)} and ${Math.max(...signals)} per cent`,
    queue: linesOfDevice(points, 'queue', 'Waiting'),
    disk: linesOfDevice(points, 'fsyncMs', 'Write to disk'),
  }
}
