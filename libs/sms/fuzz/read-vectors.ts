import { readdirSync, readFileSync } from 'node:fs'

/** The vectors of libs/sms/vectors: octets with their meaning, taken from a source and never from this package's output. */
export interface VectorFile {
  readonly name: string
  readonly about: string
  /** The decoder for the vectors. */
  readonly kind: string
  readonly vectors: readonly Vector[]
}

export interface Vector {
  readonly name: string
  /** A document and clause, a manual, a page, or the test of another program. */
  readonly source: string
  /** Why the expectation differs from the source, or why the octets cannot be encoded again. */
  readonly note?: string
  /** Hexadecimal, with the service centre in front. */
  readonly pdu?: string
  readonly direction?: 'incoming' | 'outgoing'
  /** False when encoding gives octets other than `pdu` or `octets`; the vector is then only decoded. */
  readonly reencodes?: boolean
  readonly reads?: boolean
  /** Hexadecimal; for single octets also ranges: `03-1F 40`. */
  readonly octets?: string
  /** Hexadecimal, one octet per septet; null for a text that cannot be encoded. */
  readonly septets?: string | null
  readonly hex?: string
  readonly form?: string
  readonly text?: unknown
  readonly data?: number
  readonly fillBits?: number
  readonly dataCodingScheme?: number
  readonly shifts?: { readonly locking?: number; readonly single?: number }
  readonly options?: object
  readonly encodes?: { readonly contentTypeForm: 'code' | 'text' | 'general'; readonly headers: string }
  readonly expect?: Readonly<Record<string, unknown>>
}

export function readVectorFiles(): readonly VectorFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ name: file.slice(0, -'.json'.length), ...readJson(file) }))
}

const folder = new URL('../vectors/', import.meta.url)

function readJson(file: string): Omit<VectorFile, 'name'> {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Omit<VectorFile, 'name'>
}
