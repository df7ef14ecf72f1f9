/** Lengths of lines and gaps. Empty for a solid line. */
type Dashes = readonly number[]

export interface LineLook {
  readonly colour: string
  readonly dashes: Dashes
  /** The background of the line's mark in the legend, with the same dashes. */
  readonly mark: string
}

/** In forced colours all lines have the colour of the text. They differ by their dashes. */
const forcedDashes: readonly Dashes[] = [[], [8, 4], [2, 3], [8, 3, 2, 3]]

/**
 * Returns the colours of a plot. A canvas keeps its colours when the browser forces other colours, so the plot must use
 * the forced colour of the text.
 */
export function plotColours({
  isForced,
  text,
  token,
}: {
  readonly isForced: boolean
  /** The colour of the text around the plot. */
  readonly text: string
  readonly token: (name: string) => string
}) {
  return {
    axis: isForced ? text : token('--muted'),
    grid: isForced ? lighter(text, 25) : token('--line'),
    line({ colour: name, isDashed }: { readonly colour: string; readonly isDashed?: boolean }, at: number): LineLook {
      const colour = isForced ? text : token(name)
      const dashes = isForced ? (forcedDashes[at % forcedDashes.length] ?? []) : isDashed ? [4, 4] : []
      return { colour, dashes, mark: dashed(colour, dashes) }
    },
  }
}

export function lighter(colour: string, percent: number): string {
  return `color-mix(in srgb, ${colour} ${percent}%, transparent)`
}

function dashed(colour: string, dashes: Dashes): string {
  if (dashes.length === 0) return colour
  let end = 0
  const stops = dashes.map((length, at) => {
    const start = end
    end += length
    return `${at % 2 === 0 ? colour : 'transparent'} ${start}px ${end}px`
  })
  return `repeating-linear-gradient(to right, ${stops.join(', ')})`
}
