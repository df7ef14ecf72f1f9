import type { Sensitivity } from '../dialogue/command.ts'
import { readFinalResult } from '../dialogue/final-result.ts'
import { readResponseLine } from './response-line.ts'
import { genericForms } from './unsolicited.ts'

/**
 * Masks private data in one line of a dialogue: phone numbers, identities, PINs, PDUs, texts and names. Codes, states,
 * indexes, lengths and command names are not masked. Blanks and control characters around the line are kept.
 *
 * `cut`: the line is incomplete, so all uncertain parts are masked.
 */
export function maskLine(line: string, sensitivity: Sensitivity, cut: boolean): string {
  let start = 0
  // A prompt may be followed by text on its line: an echo or an unsolicited code.
  while (isBlank(line.charCodeAt(start)) || (!cut && line[start] === '>')) start += 1
  let end = line.length
  while (end > start && isBlank(line.charCodeAt(end - 1))) end -= 1
  return line.slice(0, start) + maskContent(line.slice(start, end), sensitivity, cut) + line.slice(end)
}

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0x7f
}

function maskContent(content: string, sensitivity: Sensitivity, cut: boolean): string {
  if (content === '') return ''
  if (cut) return hidden('cut', content)
  if (/^[0-9a-f]{8,}$/i.test(content)) return hidden('hex', content)
  if (readFinalResult(content) || speakingLines.has(content.toUpperCase())) return maskNumbers(content)
  const command = extendedCommand.exec(content) ?? basicCommand.exec(content)
  if (command) return maskCommand(command, sensitivity)
  const { prefix, body } = readResponseLine(content)
  if (!content.startsWith(prefix) || prefix === '')
    return sensitivity === 'plain' ? maskNumbers(content) : hidden('text', content)
  const head = content.slice(0, content.length - body.length)
  return head + (sensitivity === 'secret' && prefix !== '+CPIN' ? maskAll(body) : maskBody(prefix, body))
}

// A text that begins like a command (`Attention: …`) or like a code (`+Bonus: …`) does not match.
const extendedCommand = /^(AT)([+^*#%$&_!][A-Z0-9_]+)([=?]+|(?=;|$))([\s\S]*)$/
const basicCommand = /^(AT)((?:&?[A-Z][0-9]*)*)()((?:(?<=D)[0-9+*#,;]*)?)$/

function maskCommand(
  [, at = '', name = '', sign = '', parameters = '']: RegExpExecArray,
  sensitivity: Sensitivity,
): string {
  const head = at + maskNumbers(name) + sign
  if (parameters === '') return head
  const prefix = name.toUpperCase()
  const isSecret = sensitivity === 'secret' || secretPrefixes.has(prefix)
  return head + (isSecret ? maskAll(parameters) : maskBody(prefix, parameters))
}

function maskBody(prefix: string, body: string): string {
  const quoted = /"([^"]*)("|$)/g
  let masked = ''
  let from = 0
  for (const match of body.matchAll(quoted)) {
    masked += maskUnquoted(prefix, body.slice(from, match.index))
    const text = match[1] ?? ''
    masked += `"${openPrefixes.has(prefix) || text === '' ? maskNumbers(text) : hidden('text', text)}${match[2]}`
    from = match.index + match[0].length
  }
  return masked + maskUnquoted(prefix, body.slice(from))
}

function maskUnquoted(prefix: string, text: string): string {
  const numbers = maskNumbers(text)
  if (!privatePrefixes.has(prefix)) return numbers
  // `+CUSD: 0, Your balance…` and names without quotes; parts that are already masked are kept.
  return numbers.replace(/<(?:hex|text) \d+>|[A-Za-z\x80-\xff][A-Za-z0-9\x80-\xff .:;'!?/-]*/g, (found) =>
    found.startsWith('<') ? found : hidden('text', found),
  )
}

/** Runs of digits that may identify a person, a card or a place, and runs of hexadecimal digits. */
function maskNumbers(text: string): string {
  return text.replace(/[0-9a-f]{5,}/gi, (run) => {
    if (/^[0-9]+$/.test(run)) return '*'.repeat(run.length - digitsShown) + run.slice(-digitsShown)
    return run.length >= 8 && /[0-9]/.test(run)
      ? hidden('hex', run)
      : run.replace(/[0-9]{5,}/g, (digits) => '*'.repeat(digits.length))
  })
}

function maskAll(text: string): string {
  return hidden('secret', text)
}

function hidden(what: string, text: string): string {
  return `<${what} ${text.length}>`
}

const digitsShown = 2

const secretPrefixes = new Set(['+CPIN', '+CPWD', '+CLCK', '+CPIN2', '^CPIN', '*EPIN', '+SPIC'])

/**
 * Quoted words after these codes are shown, because they are only times, or names of memories, character sets, networks
 * or technologies.
 */
const openPrefixes = new Set([
  ...['+CPMS', '+CSCS', '+CNMI', '+CPBS', '+CMTI', '+CDSI', '+COPS', '+CCLK', '+CTZV', '+CTZE', '+CTZEU', '+CIND'],
  ...['+CREG', '+CGREG', '+CEREG', '+C5GREG', '+QNWINFO', '+QCFG', '+QIND', '+QSPN', '+CPSI', '^HCSQ', '^SYSINFOEX'],
])

/** The words after these codes are private texts, with or without quotes. */
const privatePrefixes = new Set([
  ...['+CUSD', '+CPBR', '+CPBF', '+CPBW', '+CNUM', '+CLIP', '+CNAP', '+COLP', '+CMGL', '+CMGR', '+CMT', '+CDS', '+CBM'],
])

const speakingLines = new Set(genericForms.map((form) => form.code).filter((code) => /^[A-Z]/.test(code)))
