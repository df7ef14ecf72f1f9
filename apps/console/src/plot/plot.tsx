import { useComputedColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import {
  clockWords,
  durationStepsMs,
  durationTicks,
  momentWords,
  shortClockWords,
} from '../ui/values/relative-words.ts'
import { weekdayTickFormat } from '../words/formats.ts'
import { t } from '../words/text.ts'
import { lighter, plotColours } from './plot-colours.ts'
import { ticksUpTo, wholeSteps } from './plot-ticks.ts'
import 'uplot/dist/uPlot.min.css'
import './plot.css'

export type PlotColour = '--accent-ink' | '--ink' | '--muted' | '--bad' | '--warn'

export interface PlotLine {
  readonly name: string
  readonly colour: PlotColour
  readonly isDashed?: boolean
  /** True if the area below the line is filled. */
  readonly isFilled?: boolean
  /** One value for each time; null if there is no value. */
  readonly values: readonly (number | null)[]
}

export interface PlotData {
  readonly atSeconds: readonly number[]
  readonly lines: readonly PlotLine[]
  /** Formats a value. */
  readonly words: (value: number) => string
  /** True if the values are durations in milliseconds. */
  readonly hasDurations?: boolean
  /** Start and end of the horizontal axis. Default: the first and the last time. */
  readonly period?: readonly [fromSeconds: number, toSeconds: number]
  /** The vertical axis reaches at least this value. */
  readonly top?: number
  readonly height?: number
}

/** Lines over time. `summary` describes the plot to people who cannot see it. */
export default function Plot({ summary, ...data }: PlotData & { readonly summary: string }) {
  // Creates a new canvas for another colour scheme, because a canvas keeps its colours.
  const scheme = useComputedColorScheme('light')
  const isForced = useMediaQuery('(forced-colors: active)') ?? false
  return (
    <figure className="plot" aria-label={summary}>
      <Picture key={`${scheme} ${isForced}`} {...data} />
    </figure>
  )
}

function Picture({ atSeconds, lines, words, hasDurations = false, period, top = 1, height = 200 }: PlotData) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new uPlot(
      optionsFor({ element, lines, words, hasDurations, period, top, height }),
      [[...atSeconds], ...lines.map(({ values }) => [...values])],
      element,
    )
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      plot.destroy()
    }
  }, [atSeconds, lines, words, hasDurations, period, top, height])
  return <div ref={place} aria-hidden="true" />
}

function optionsFor({
  element,
  lines,
  words,
  hasDurations,
  period,
  top,
  height,
}: {
  readonly element: HTMLElement
  readonly lines: readonly PlotLine[]
  readonly words: (value: number) => string
  readonly hasDurations: boolean
  readonly period: PlotData['period']
  readonly top: number
  readonly height: number
}): uPlot.Options {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(name).trim()
  const colours = plotColours({ isForced: matchMedia('(forced-colors: active)').matches, text: style.color, token })
  const marks = lines.map((line, at) => colours.line(line, at).mark)
  const axis: uPlot.Axis = {
    stroke: colours.axis,
    font: `11px ${token('--font-text')}`,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
  }
  const most = Math.max(top, ...lines.flatMap(({ values }) => values.filter((value) => value !== null)))
  const areaHeight = height - timeAxisHeight - edge
  const ticks = ticksUpTo(most, areaHeight, hasDurations ? durationStepsMs : wholeSteps)
  return {
    width: element.clientWidth,
    height,
    padding: [edge, edge, 0, 0],
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    legend: {
      live: true,
      markers: { width: 0, fill: (_plot, series) => marks[series - 1] ?? '' },
    },
    scales: {
      ...(period && { x: { range: [...period] } }),
      y: { range: [0, ticks.at(-1) ?? most] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: timeAxisHeight,
        values: (plot, times) => timeTicks(times).map((tick, at) => (fits(plot, times[at] ?? 0, tick) ? tick : '')),
      },
      {
        ...axis,
        size: widthOf,
        splits: () => [...ticks],
        values: () => (hasDurations ? durationTicks(ticks) : ticks.map((tick) => words(tick))),
      },
    ],
    series: [
      { label: t('plot.time'), value: (_plot, value) => (value === null ? '' : momentWords(value * 1000)) },
      ...lines.map((line, at): uPlot.Series => {
        const { name, isFilled, values } = line
        const { colour, dashes } = colours.line(line, at)
        return {
          label: name,
          stroke: colour,
          width: 1.75,
          dash: [...dashes],
          spanGaps: false,
          // Shows points if there are gaps, because a single value between gaps would otherwise be invisible.
          points: { show: hasGap(values), size: 5 },
          ...(isFilled && { fill: lighter(colour, 12) }),
          value: (_plot, value, _line, index) => (index === null ? '' : value === null ? '–' : words(value)),
        }
      }),
    ],
  }
}

/** Room above and after the plot area, for points at its edge. */
const edge = 8
const timeAxisHeight = 30

/** The width of the vertical axis, so that its longest tick fits, whatever the language. */
function widthOf(plot: uPlot, ticks: readonly string[] | null, axisIndex: number): number {
  const widest = Math.max(0, ...(ticks ?? []).map((tick) => textWidth(plot, tick, axisIndex)))
  return Math.max(leastWidth, Math.ceil(widest) + gap)
}

/** True if the text below a time does not reach over the end of the plot. */
function fits(plot: uPlot, time: number, text: string): boolean {
  const { min = 0, max = 0 } = plot.scales['x'] ?? {}
  const areaWidth = plot.bbox.width / uPlot.pxRatio
  const untilEnd = (((max ?? 0) - time) / ((max ?? 0) - (min ?? 0))) * areaWidth + edge
  return textWidth(plot, text, 0) / 2 <= untilEnd
}

function textWidth({ ctx, axes }: uPlot, text: string, axisIndex: number): number {
  const [font] = (axes[axisIndex]?.font ?? []) as readonly string[]
  if (font !== undefined) ctx.font = font
  return ctx.measureText(text).width / uPlot.pxRatio
}

const leastWidth = 40
const gap = 12

/** The time of day, or the date at midnight. */
function timeTicks(ticks: readonly number[]): string[] {
  const [first = 0, next = Number.POSITIVE_INFINITY] = ticks
  const usual = next - first < 60 ? clockWords : shortClockWords
  return ticks.map((tick) => {
    const time = new Date(tick * 1000)
    const isMidnight = time.getHours() + time.getMinutes() + time.getSeconds() === 0
    return isMidnight ? weekdayTickFormat().format(time) : usual(time)
  })
}

/** True if a value is missing between other values. Missing values at the end do not count. */
function hasGap(values: PlotLine['values']): boolean {
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1).includes(null)
}
