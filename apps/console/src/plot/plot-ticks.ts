/**
 * Returns the ticks of the vertical axis: round numbers from 0 to the first one that no value exceeds. So the top
 * gridline is never below a value.
 * @param most the largest value
 * @param height the height of the plot area in pixels
 * @param steps the allowed distances between ticks, from small to large
 */
export function ticksUpTo(most: number, height: number, steps: readonly number[]): readonly number[] {
  const mostIntervals = Math.max(1, Math.floor(height / leastDistance))
  const intervals = (step: number) => Math.max(1, Math.ceil(most / step - rounding))
  const step = steps.find((each) => intervals(each) <= mostIntervals) ?? most / mostIntervals
  return Array.from({ length: intervals(step) + 1 }, (_, at) => at * step)
}

/** In pixels. Ticks that are closer would be hard to read. */
const leastDistance = 30
/** Ignores an excess that comes from the rounding of decimal fractions. */
const rounding = 1e-9

/** Distances between the ticks of an axis of whole numbers. */
export const wholeSteps: readonly number[] = Array.from({ length: 13 }, (_, power) => 10 ** power).flatMap((unit) =>
  unit === 1 ? [1, 2, 5] : [unit, 2 * unit, 2.5 * unit, 5 * unit],
)
