/** One line of an answer or of an unsolicited code, split at its prefix. */
export interface ResponseLine {
  /** The whole line, without its line end and surrounding blanks; one character per byte (Latin-1). */
  readonly text: string
  /** For the line `+CSQ: 20,99` this is `+CSQ`. Always in upper case; empty for a line without a prefix. */
  readonly prefix: string
  /** The text after the prefix and its colon; the whole line if there is no prefix. */
  readonly body: string
  /** The line of hexadecimal digits (or text) that followed a `+CMGL`, `+CMGR`, `+CMT`, `+CDS` or `+CBM` line. */
  readonly payload: string | undefined
}

// Vendors mark their own codes with a sign: ^ Huawei, * and # Telit and Ericsson, % Icera, $ Qualcomm, _ Option, !
// Sierra.
const signs = '+^*#%$&@_!'

/** Also reads lines without a blank or colon after the prefix (`+CPIN:READY`, `+CPIN READY`). */
export function readResponseLine(text: string): ResponseLine {
  if (!signs.includes(text.charAt(0)) || !isLetter(text.charCodeAt(1))) {
    return { text, prefix: '', body: text, payload: undefined }
  }
  let end = 2
  while (isNamePart(text.charCodeAt(end))) end += 1
  let start = end
  if (text.charCodeAt(start) === colon) start += 1
  return { text, prefix: text.slice(0, end).toUpperCase(), body: text.slice(start).trimStart(), payload: undefined }
}

const colon = 0x3a
const underscore = 0x5f

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

function isNamePart(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === underscore
}
