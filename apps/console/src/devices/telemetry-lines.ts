import type { TelemetryPoint } from '@smsgw/contract/devices/device'
import type { PlotColour, PlotLine } from '../plot/plot.tsx'
import { t } from '../words/text.ts'

interface Drawn {
  readonly atSeconds: readonly number[]
  readonly lines: readonly PlotLine[]
}

type Measure = 'signal' | 'queue' | 'fsyncMs'

const colours: readonly PlotColour[] = ['--accent-ink', '--ink', '--warn', '--muted']

/** Returns one line for each SIM. */
export function linesBySim(points: readonly TelemetryPoint[], measure: Measure): Drawn {
  const times = timesOf(points)
  const sims = [...new Set(points.flatMap(({ simNumber }) => (simNumber === undefined ? [] : [simNumber])))].toSorted()
  const lines = sims.map(
    (simNumber, at): PlotLine => ({
      name: t('common.simNumber', { number: simNumber }),
      colour: colours[at % colours.length] ?? '--ink',
      isFilled: sims.length === 1,
      values: valuesAt(
        times,
        points.filter((point) => point.simNumber === simNumber),
        measure,
      ),
    }),
  )
  return { atSeconds: times.map((time) => time / 1000), lines }
}

/** Returns one line for a value of the device. */
export function linesOfDevice(points: readonly TelemetryPoint[], measure: Measure, name: string): Drawn {
  const reported = points.filter((point) => point[measure] !== undefined)
  const times = timesOf(reported)
  const line: PlotLine = { name, colour: '--accent-ink', isFilled: true, values: valuesAt(times, reported, measure) }
  return { atSeconds: times.map((time) => time / 1000), lines: [line] }
}

export function hasValues(lines: readonly PlotLine[]): boolean {
  return lines.some(({ values }) => values.some((value) => value !== null))
}

function timesOf(points: readonly TelemetryPoint[]): number[] {
  return [...new Set(points.map(({ at }) => Date.parse(at)))].toSorted((one, other) => one - other)
}

function valuesAt(times: readonly number[], points: readonly TelemetryPoint[], measure: Measure): (number | null)[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point[measure]]))
  return times.map((time) => byTime.get(time) ?? null)
}
