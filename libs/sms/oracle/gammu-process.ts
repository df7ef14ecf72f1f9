import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface DecodeRequest {
  readonly operation: 'decode'
  readonly pdu: string
}

export interface EncodeRequest {
  readonly operation: 'encode'
  readonly layout: 'Submit' | 'Deliver'
  readonly type: 'Submit' | 'Deliver'
  readonly serviceCentre: string
  readonly number: string
  readonly coding: GammuCoding
  readonly class: number
  readonly text: string | null
  readonly octets: string
}

export type GammuCoding = 'Default_No_Compression' | 'Unicode_No_Compression' | '8bit'

/** A PDU as decoded by gammu. */
export interface GammuReading {
  readonly type: 'Deliver' | 'Submit' | 'Status_Report'
  readonly serviceCentre: string
  readonly number: string
  readonly text: { readonly text: string } | { readonly octets: string }
  readonly coding: GammuCoding
  readonly class: number
  /** Local time of the service centre, without its zone. */
  readonly dateTime: string | null
  readonly status: number
  readonly reference: number
  /** UDHL included. */
  readonly header: string
  /** The 8-bit reference, the 16-bit reference, the number of this part, and the total number of parts. */
  readonly parts: readonly [number, number, number, number]
}

export type GammuAnswer = GammuReading | { readonly pdu: string } | { readonly error: string }

/** Starts one process for all requests. Returns undefined when python3-gammu is not installed. */
export function askGammu(
  python: string,
  requests: readonly (DecodeRequest | EncodeRequest)[],
): readonly GammuAnswer[] | undefined {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('')
  const { status, stdout, stderr, error } = spawnSync(python, [script], { input, encoding: 'utf8', maxBuffer: 1 << 30 })
  if (status === notInstalled || (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as GammuAnswer)
}

const script = fileURLToPath(new URL('gammu-oracle.py', import.meta.url))
const notInstalled = 3
