import pino from 'pino'
import { faultDetails } from './fault-details.ts'
import { logLine } from './log-line.ts'

export type Log = pino.Logger
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** Whatever else an object holds, these are nobody's business. */
const SECRET = ['password', 'secret', 'token', 'authorization', 'cookie', 'text', 'phoneNumber', 'phoneNumbers']

export interface LogOutput {
  write(line: string): unknown
  /** A person is watching: words instead of JSON. */
  readonly isTTY?: boolean
}

/** JSON, one line each; words when a terminal watches. */
export function openLog(level: LogLevel, output: LogOutput): Log {
  const stream = output.isTTY ? { write: (line: string) => output.write(logLine(line)) } : output
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: faultDetails },
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      hooks: { streamWrite: cutNumbers },
    },
    stream,
  )
}

/** A telephone number keeps its last three digits, wherever it stands. */
export function cutNumbers(line: string): string {
  return line.replace(/\+\d{4,17}(\d{3})(?!\d)/g, '+…$1')
}
