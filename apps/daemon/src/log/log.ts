import pino from 'pino'
import { droppingOutput, type LogOutput } from '../terminal/output.ts'
import { escapedJson } from '../terminal/printable.ts'
import { faultDetails } from './fault-details.ts'
import { logLine } from './log-line.ts'

export type Log = pino.Logger
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** The names of members whose values are replaced with `[hidden]`. */
const SECRET = ['password', 'secret', 'token', 'authorization', 'cookie', 'text', 'phoneNumber', 'phoneNumbers']

/**
 * Opens a log of JSON lines, or of formatted lines on a terminal. Lines that cannot be written are dropped and counted.
 */
export function openLog(level: LogLevel, output: LogOutput): Log {
  const lines = droppingOutput(output, (dropped, reason) =>
    log.warn({ dropped, reason }, 'log lines were dropped, logging resumed'),
  )
  const stream = output.isTTY ? { write: (line: string) => lines.write(logLine(line)) } : lines
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: faultDetails },
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      hooks: {
        // Escaped for pipes as well, because `docker logs` and others copy a pipe to a terminal.
        streamWrite: (line) => escapedJson(maskNumbers(line)),
      },
    },
    stream,
  )
  return log
}

/** Masks all but the last three digits of phone numbers. */
export function maskNumbers(line: string): string {
  return line.replace(/\+\d{4,17}(\d{3})(?!\d)/g, '+…$1')
}
