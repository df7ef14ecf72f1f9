import { useQuery } from '@tanstack/react-query'
import { type PictureSize, pictureSize } from '../messages/picture-size.ts'
import { ApiFailure } from './request/ask.ts'

/**
 * The width and height of a picture, or null if its beginning does not state them. Reads only the beginning of the
 * file, and decodes nothing.
 */
export function usePictureSize(url: string) {
  return useQuery({
    queryKey: ['picture-size', url],
    queryFn: ({ signal }) => readPictureSize(url, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Enough for the preview that cameras write before the picture. */
const MOST_BYTES = 512 * 1024

async function readPictureSize(url: string, signal: AbortSignal): Promise<PictureSize | null> {
  const { ok, status, body } = await fetch(url, { signal })
  if (status === 404) return null
  // The query is repeated after an error, for example while the gateway restarts.
  if (!ok) throw new ApiFailure(status, {})
  const reader = body?.getReader()
  if (reader === undefined) return null
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    while (length < MOST_BYTES) {
      const { value } = await reader.read()
      if (value === undefined) return null
      pieces.push(value)
      length += value.length
      const size = pictureSize(joined(pieces, length))
      if (size !== undefined) return size
    }
    return null
  } finally {
    // Ends the download.
    await reader.cancel()
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
