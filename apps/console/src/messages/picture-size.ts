export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * The width and height that the beginning of a picture states, in pixels. Returns undefined for other formats, and
 * while the beginning is too short.
 */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view)
    // A JPEG may have the height 0 here and state its height after the picture.
    return size === undefined || size.width === 0 || size.height === 0 ? undefined : size
  } catch (error) {
    // A view throws when it is read beyond its end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function png(view: DataView): PictureSize | undefined {
  if (textAt(view, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(view, 12, 4) !== 'IHDR') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/**
 * Also reads the header of the first frame. If the frame is larger than the stated size of the picture, a decoder uses
 * the size of the frame.
 */
function gif(view: DataView): PictureSize | undefined {
  if (textAt(view, 0, 4) !== 'GIF8') return undefined
  let at = 13 + colourTableLength(view.getUint8(10))
  while (view.getUint8(at) === GIF_EXTENSION) {
    at += 2
    for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += 1 + length
    at += 1
  }
  if (view.getUint8(at) !== GIF_FRAME) return undefined
  const [left, top, width, height] = [1, 3, 5, 7].map((offset) => view.getUint16(at + offset, true)) as Four
  return {
    width: Math.max(view.getUint16(6, true), left + width),
    height: Math.max(view.getUint16(8, true), top + height),
  }
}

type Four = [number, number, number, number]

const GIF_EXTENSION = 0x21
const GIF_FRAME = 0x2c

/** The flags say whether there is a table, and the number of its entries, each of three octets. */
function colourTableLength(flags: number): number {
  return flags < 0x80 ? 0 : 3 * 2 ** ((flags % 8) + 1)
}

function webp(view: DataView): PictureSize | undefined {
  if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return undefined
  switch (textAt(view, 12, 4)) {
    case 'VP8X':
      return {
        width: (view.getUint32(24, true) % 2 ** 24) + 1,
        height: Math.floor(view.getUint32(26, true) / 2 ** 8) + 1,
      }
    case 'VP8L': {
      const sizes = view.getUint32(21, true)
      return { width: (sizes % 2 ** 14) + 1, height: (Math.floor(sizes / 2 ** 14) % 2 ** 14) + 1 }
    }
    case 'VP8 ':
      return { width: view.getUint16(26, true) % 2 ** 14, height: view.getUint16(28, true) % 2 ** 14 }
    default:
      return undefined
  }
}

/**
 * Reads the markers up to the first frame. The segments before it can be long, for example a preview. A marker that has
 * no length, or is unknown, may hide the frame that a decoder uses.
 */
function jpeg(view: DataView): PictureSize | undefined {
  if (view.getUint16(0) !== 0xff_d8) return undefined
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (FRAMES.has(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else if (!TABLES.has(marker) || view.getUint16(at + 2) < 2) return undefined
    else at += 2 + view.getUint16(at + 2)
  }
}

/** SOF0 to SOF15 (ITU T.81 table B.1), without DHT, JPG and DAC. */
const FRAMES: ReadonlySet<number> = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf,
])

/** The segments that may stand before a frame: DHT, DAC, DQT, DRI, APP0 to APP15 and COM. */
const TABLES: ReadonlySet<number> = new Set([
  0xc4,
  0xcc,
  0xdb,
  0xdd,
  0xfe,
  ...Array.from({ length: 16 }, (_, index) => 0xe0 + index),
])

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)))
}
