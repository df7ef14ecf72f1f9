import { printable } from '../terminal/printable.ts'

const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 36, warn: 33, error: 31, fatal: 31 }

/** Formats a JSON log line for a terminal: time, level, message, then the other members. */
export function logLine(json: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(json)
  const colour = COLOURS[level] ?? 0
  const more = Object.entries(rest).map(([key, value]) => `${key}=${formatted(value)}`)
  const head = [
    String(time).slice(11, 23),
    `\x1b[${colour}m${String(level).padEnd(5)}\x1b[0m`,
    printableLines(msg),
    ...more,
  ]
  const stack = err === undefined ? '' : `\n${printableLines(faultText(err))}`
  return `${head.join(' ')}${stack}\n`
}

function formatted(value: unknown): string {
  return printableLines(typeof value === 'string' ? value : JSON.stringify(value))
}

export interface Fault {
  readonly fault: string
  readonly kind?: string
  readonly sqlState?: string
  readonly code?: string
  readonly message?: string
  readonly at?: readonly string[]
  readonly cause?: Fault
}

/** Formats an error that `faultDetails` has described. */
export function faultText({ fault, kind, sqlState, code, message, at = [], cause }: Fault): string {
  const head = [fault, kind, sqlState, code, message].filter((part) => part !== undefined).join(' ')
  const lines = [`  ${head}`, ...at.map((place) => `    ${place}`)]
  return cause === undefined ? lines.join('\n') : `${lines.join('\n')}\n  caused by\n${faultText(cause)}`
}

/**
 * Escapes all control and formatting characters except line breaks, so that logged text cannot control the terminal.
 */
function printableLines(text: unknown): string {
  return String(text ?? '')
    .split('\n')
    .map(printable)
    .join('\n')
}
