import type { NotSent, Sensitivity } from './command.ts'
import type { FinalResult } from './final-result.ts'
import type { ResponseLine } from './response-line.ts'
import type { UnsolicitedForm } from './unsolicited.ts'

/** One thing that is in flight between us and the modem, from its first byte until the dialogue may go on. */
export interface Exchange {
  /** The command line, to know its echo by; empty when there is none. */
  readonly text: string
  readonly sensitivity: Sensitivity
  start(): void
  /** It never started: nothing was written. */
  refuse(why: NotSent): void
  /** True when the line belongs to it. `form`: the line also is a known unsolicited code. */
  line(line: ResponseLine, form: UnsolicitedForm | undefined): boolean
  /** False when the result does not end it (`NO CARRIER` for a command that does not dial). */
  result(result: FinalResult): boolean
  prompt(): void
  /** Its deadline passed, and all that had come by then has been read. */
  expired(): void
  /** The modem said that it has just booted. */
  restarted(): void
  cancelled(): void
  portLost(): void
}

/** What the dialogue does for the exchange in flight. */
export interface ExchangeLink {
  /** One character for each byte. */
  write(text: string): void
  /** Counts from now and replaces the deadline before. */
  deadline(afterMs: number): void
  nowMs(): number
  /** Runs what came back from outside (a promise), then goes on with the dialogue. */
  resume(action: () => void): void
  /** A line that had been taken and turns out to be news. */
  giveBack(line: ResponseLine): void
  /** Over. `out-of-step`: something of it may still come. */
  done(next: 'in-step' | 'out-of-step'): void
}

export const escapeByte = '\x1b'
export const controlZ = '\x1a'
