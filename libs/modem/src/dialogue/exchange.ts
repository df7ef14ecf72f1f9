import type { ResponseLine } from '../wire/response-line.ts'
import type { Unsolicited, UnsolicitedForm } from '../wire/unsolicited.ts'
import type { NotSent, Sensitivity } from './command.ts'
import type { FinalResult } from './final-result.ts'

/** One exchange with the modem, from its first byte until the next exchange may start. */
export interface Exchange {
  /** The command line, used to recognise its echo; empty if the exchange has no command line. */
  readonly text: string
  readonly sensitivity: Sensitivity
  start(): void
  /** Ends the exchange before it starts, so nothing has been written. */
  refuse(why: NotSent): void
  /** Returns true if the line belongs to the exchange. `form` is set if the line is also a known unsolicited code. */
  line(line: ResponseLine, form: UnsolicitedForm | undefined): boolean
  /** Returns false if the result does not end the exchange (`NO CARRIER` for a command that does not dial). */
  result(result: FinalResult): boolean
  prompt(): void
  /** Handles an unsolicited code with its second line. The code never belongs to an exchange. */
  unsolicited?(event: Unsolicited): void
  /** Called when the modem has answered on another port. */
  heardElsewhere?(): void
  /** Called after the time given to `remind`, when all bytes received so far have been read. */
  reminded?(): void
  /** Called after the deadline, when all bytes received so far have been read. */
  expired(): void
  /** Called when the modem has reported that it has just booted. */
  restarted(): void
  cancelled(): void
  portLost(): void
}

/** The functions of the dialogue that the exchange in flight may call. */
export interface ExchangeLink {
  /** `text`: one character per byte. */
  write(text: string): void
  /** Counts from now and replaces the previous deadline. */
  deadline(afterMs: number): void
  /** Calls `reminded` once after `afterMs`, without changing the deadline; replaces the previous reminder. */
  remind(afterMs: number): void
  nowMs(): number
  /** Runs the continuation of a promise, then continues the dialogue. */
  resume(action: () => void): void
  /** Returns a line to the dialogue, because the line is unsolicited. */
  giveBack(line: ResponseLine): void
  /** Ends the exchange. `out-of-step`: a late answer may still arrive. */
  done(next: 'in-step' | 'out-of-step'): void
}

export const escapeByte = '\x1b'
export const controlZ = '\x1a'
