import { readdirSync, readFileSync } from 'node:fs'

/**
 * The vectors in libs/sms/vectors: octets with their meaning. Vectors are from an external source, never from the
 * output of this package.
 */
export interface VectorFile {
  readonly name: string
  readonly about: string
  /** The decoder to use for the vectors. */
  readonly kind: string
  readonly vectors: readonly Vector[]
}

export interface Vector {
  readonly name: string
  /** The source: a document and clause, a manual, a page, or the test of another program. */
  readonly source: string
  /** Why the expectation differs from the source, or why the octets cannot be encoded again. */
  readonly note?: string
  /** The PDU in hexadecimal, beginning with the service centre. */
  readonly pdu?: string
  readonly direction?: 'incoming' | 'outgoing'
  /** False if encoding results in other octets than `pdu` or `octets`. Such a vector is only decoded. */
  readonly reencodes?: boolean
  readonly reads?: boolean
  /** The octets in hexadecimal. For single octets, ranges are possible: `03-1F 40`. */
  readonly octets?: string
  /** The septets in hexadecimal, one octet each; null for a text that cannot be encoded. */
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
