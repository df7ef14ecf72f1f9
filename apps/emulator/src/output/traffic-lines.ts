import { type TrafficRecord, visible } from './traffic.ts'

export interface TrafficLine {
  readonly epochMs: number
  readonly modem: string
  readonly direction: TrafficRecord['direction']
  readonly text: string
}

/**
 * Joins chunks of traffic into lines. A line ends at a line-end character, at Ctrl-Z or ESC, at a maximum length, when
 * the other side writes, or when `flush` is called after a pause (a prompt).
 */
export class TrafficLines {
  readonly #emit: (line: TrafficLine) => void
  readonly #open = new Map<string, { readonly first: TrafficRecord; octets: number[] }>()

  constructor(emit: (line: TrafficLine) => void) {
    this.#emit = emit
  }

  add(record: TrafficRecord): void {
    const port = nameOf(record)
    const open = this.#open.get(port)
    if (open && open.first.direction !== record.direction) this.#close(port)
    for (const octet of record.bytes) {
      const line = this.#open.get(port) ?? { first: record, octets: [] }
      this.#open.set(port, line)
      line.octets.push(octet)
      if (endsLine(record.direction, octet, line.octets)) this.#close(port)
    }
  }

  flush(): void {
    for (const port of [...this.#open.keys()]) this.#close(port)
  }

  #close(port: string): void {
    const line = this.#open.get(port)
    this.#open.delete(port)
    if (line === undefined) return
    const { epochMs, direction } = line.first
    this.#emit({ epochMs, modem: port, direction, text: visible(Uint8Array.from(line.octets)) })
  }
}

/** `modem0`, or `modem0/second` for its second port. */
function nameOf({ modem, port }: TrafficRecord): string {
  return port === undefined ? modem : `${modem}/${port}`
}

function endsLine(direction: TrafficRecord['direction'], octet: number, octets: readonly number[]): boolean {
  if (octets.length >= LONGEST) return true
  if (direction === 'in') return octet === CR || octet === CTRL_Z || octet === ESC
  // The line end before an answer belongs to the answer.
  return octet === LF && octets.some((other) => other !== CR && other !== LF)
}

const LF = 10
const CR = 13
const CTRL_Z = 26
const ESC = 27
const LONGEST = 400
