export interface DialogueTelemetry {
  readonly state: DialogueState
  /** The command in flight, masked as in a trace. */
  readonly inFlight: string | undefined
  /** How long the driver has waited for the pending answer; undefined if no answer is pending. */
  readonly waitingMs?: number | undefined
  readonly queued: number
  readonly lastByteAtMs: number | undefined
  readonly timeouts: number
  readonly resynchronisations: number
  readonly bytesReceived: number
  readonly bytesSent: number
  /** The number of lines in which the modem echoed the driver's own output. */
  readonly echoes: number
}

export type DialogueState = 'new' | 'resynchronising' | 'in-step' | 'out-of-step' | 'closed'
