/**
 * Finds where the character that a reader sees (a grapheme cluster: a letter with its marks, a flag, a family) starts.
 * The answer for an index is where the cluster that covers it begins: the index itself when one begins there.
 *
 * Splitting a whole text is a hundred times dearer than counting units, and only the handful of places where a part may
 * end is ever asked for: the segmenter is made when the first of them could lie inside a cluster.
 * Which sequences are clusters grows with Unicode and so with the runtime, hence nothing that two runtimes must agree
 * on, such as the number of parts, may depend on it.
 */
export function clusterStarts(text: string): (index: number) => number {
  let segments: Intl.Segments | undefined
  return (index) => {
    if (!mayJoin(text.charCodeAt(index - 1), text.charCodeAt(index))) return index
    segments ??= graphemeSegmenter().segment(text)
    return segments.containing(index)?.index ?? index
  }
}

/** Two of those that stand alone never join, but for the line end CR LF. At either end of the text: NaN, false. */
function mayJoin(before: number, after: number): boolean {
  if (!standsAlone(before) || !standsAlone(after)) return true
  return before === CARRIAGE_RETURN && after === LINE_FEED
}

/** Most long texts are of these: what is below U+0300, the first combining mark, Greek, Cyrillic, Han. */
function standsAlone(unit: number): boolean {
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

/** Clusters are the same in every language; naming one keeps the host's out of it. Made once: it costs milliseconds. */
function graphemeSegmenter(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter
}
