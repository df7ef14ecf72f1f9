import { SegmentedControl } from '@mantine/core'
import type { TelemetryPoint } from '@smsgw/contract/devices/device'
import { useMemo } from 'react'
import { useTelemetry } from '../api/devices.ts'
import { LazyPlot } from '../plot/lazy-plot.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { durationWords, numberWords, percentWords } from '../ui/values/relative-words.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { t } from '../words/text.ts'
import { hasValues, linesBySim, linesOfDevice } from './telemetry-lines.ts'

const spans = () => [
  { value: '1', label: t('period.hour') },
  { value: '24', label: t('period.day') },
  { value: '168', label: t('period.week') },
]

const percent = (value: number) => percentWords(value)
const count = (value: number) => (Number.isInteger(value) ? numberWords(value) : '')

/** Plots of signal, queue and disk write time. */
export function DeviceHistory({ id }: { readonly id: string }) {
  const [hours, setHours] = useUrlValue('hours', '1', ['1', '24', '168'])
  const telemetry = useTelemetry(id, Number(hours))
  const drawn = useMemo(() => drawnFrom(telemetry.data ?? []), [telemetry.data])
  // Always shows the whole period. Otherwise, a device that was paired a minute ago would appear to have been online
  // for the whole period.
  const period = useMemo(() => {
    const toSeconds = telemetry.dataUpdatedAt / 1000
    return [toSeconds - Number(hours) * 3_600, toSeconds] as const
  }, [telemetry.dataUpdatedAt, hours])
  return (
    <Panel
      title={t('device.history')}
      actions={
        <SegmentedControl size="xs" aria-label={t('period.title')} data={spans()} value={hours} onChange={setHours} />
      }
    >
      <ProblemNote error={telemetry.error} retry={() => void telemetry.refetch()} />
      {telemetry.isPending && <WaitingLines lines={5} />}
      {telemetry.data && <h3>{t('device.signal')}</h3>}
      {telemetry.data &&
        (hasValues(drawn.signal.lines) ? (
          <LazyPlot
            summary={drawn.signalSummary}
            {...drawn.signal}
            period={period}
            words={percent}
            top={100}
            height={180}
          />
        ) : (
          <p className="quiet">{t('device.noSignal')}</p>
        ))}
      {hasValues(drawn.queue.lines) && (
        <>
          <h3>{t('device.queue')}</h3>
          <LazyPlot summary={t('device.queueSummary')} {...drawn.queue} period={period} words={count} height={110} />
        </>
      )}
      {hasValues(drawn.disk.lines) && (
        <>
          <h3>{t('device.diskWrite')}</h3>
          <LazyPlot
            summary={t('device.diskSummary')}
            {...drawn.disk}
            period={period}
            words={durationWords}
            hasDurations
            height={110}
          />
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
        ? t('device.noSignalSummary')
        : t('device.signalSummary', {
            least: percentWords(Math.min(...signals)),
            most: percentWords(Math.max(...signals)),
          }),
    queue: linesOfDevice(points, 'queue', t('device.queued')),
    disk: linesOfDevice(points, 'fsyncMs', t('device.diskSummary')),
  }
}
