/**
 * Returns a function that gives the start of the grapheme cluster around an index: a letter with its marks, a flag, a
 * family emoji. The function returns the index itself when a cluster starts there.
 *
 * Splitting a whole text takes a hundred times longer than counting its units, and only a few positions are needed. So
 * the segmenter is created when the first of these positions may be inside a cluster. Clusters depend on the Unicode
 * version of the runtime, so a result that must be the same on two runtimes, such as the number of parts, must not
 * depend on clusters.
 */
export function clusterStarts(text: string): (index: number) => number {
  let segments: Intl.Segments | undefined
  return (index) => {
    if (!mayJoin(text.charCodeAt(index - 1), text.charCodeAt(index))) return index
    segments ??= graphemeSegmenter().segment(text)
    return segments.containing(index)?.index ?? index
  }
}

/**
 * Two single units never join, except CR LF. At the start and at the end of the text, one of the units is NaN. Then it
 * does not matter whether the function returns true or false.
 */
function mayJoin(before: number, after: number): boolean {
  if (!isSingle(before) || !isSingle(after)) return true
  return before === CARRIAGE_RETURN && after === LINE_FEED
}

/** The units of most long texts: those below U+0300 (the first combining mark), Greek, Cyrillic, Han. */
function isSingle(unit: number): boolean {
  return (
    !(unit >= 0x300) ||
    (unit >= 0x370 && unit <= 0x482) ||
    (unit >= 0x48a && unit <= 0x52f) ||
    (unit >= 0x4e00 && unit <= 0x9fff)
  )
}

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

let segmenter: Intl.Segmenter | undefined

/**
 * The language is fixed so that the default language of the host is not used. Clusters do not depend on the language.
 * Creating a segmenter takes milliseconds.
 */
function graphemeSegmenter(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter
}
