import { writeSync } from 'node:fs'
import { Socket } from 'node:net'

export interface LogOutput {
  write(line: string, done?: (error?: Error | null) => void): unknown
  /** True if the output is a terminal, to which formatted lines are written instead of JSON. */
  readonly isTTY?: boolean
  readonly fd?: number
}

let dropped = 0

/** The number of log lines that this process could not write. */
export function droppedLogLines(): number {
  return dropped
}

/**
 * Drops lines that cannot be written, as on a full disk or a closed pipe. Calls `onRecovered` when writing works again.
 */
export function droppingOutput(output: LogOutput, onRecovered: (lines: number, reason: string) => void) {
  let lost = 0
  let reason = ''
  const write = isFile(output) ? fileWriter(output.fd) : output.write.bind(output)
  const settle = (error?: Error | null) => {
    if (error) {
      dropped += 1
      lost += 1
      reason = error.message
    } else if (lost > 0) {
      const lines = lost
      lost = 0
      onRecovered(lines, reason)
    }
  }
  return { write: (line: string) => void write(line, settle) }
}

/** Used by services: output errors do not end the process. */
export function ignoreOutputErrors(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
}

/** Used by commands: an output error calls `fail`. A closed pipe, as in `… | head`, is not an error. */
export function failOnOutputErrors(fail: (error: Error) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error))
  process.stderr.on('error', () => undefined)
}

/**
 * Returns true if the output is a file. A write to a file may be partial, which Node.js does not check. Sockets and
 * terminals always receive complete lines.
 */
function isFile(output: LogOutput): output is LogOutput & { readonly fd: number } {
  return output.fd !== undefined && !(output instanceof Socket)
}

function fileWriter(fd: number): LogOutput['write'] {
  // True if only a part of the last line was written.
  let isCut = false
  return (line, done) => {
    const bytes = Buffer.from(isCut ? `\n${line}` : line)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written)
      isCut = false
    } catch (error) {
      isCut ||= written > 0
      return done?.(error as Error)
    }
    done?.()
  }
}
