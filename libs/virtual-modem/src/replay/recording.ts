/**
 * A recorded dialogue of a host with a modem, as `docs/recordings.md` describes it. The file is plain ASCII, so that a
 * person can review it before it is shared.
 */
export interface Recording {
  /**
   * `composed`: a person wrote the recording from manuals and reports. `captured`: the recording comes from one device.
   */
  readonly kind: 'composed' | 'captured'
  /** `12d1:1506`; present if the modem is a USB device. */
  readonly usb: string | undefined
  /** The name of the driver profile that the driver chose. */
  readonly profile: string | undefined
  readonly sections: readonly RecordedSection[]
}

export interface RecordedSection {
  readonly name: string
  readonly lines: readonly RecordedLine[]
}

export interface RecordedLine {
  readonly from: 'host' | 'modem'
  /**
   * The lines, without line ends. One character is one byte. A PDU ends with Ctrl-Z (0x1a), and a `>` from the modem is
   * the prompt.
   */
  readonly text: string
}

/** The error for a recording that cannot be used. The message contains the number of the line. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

/** The largest file that is read. A recording of a setup with a sent and a received message has about 10 kB. */
export const MAX_RECORDING_BYTES = 2 * 1024 ** 2

const FIRST_LINE = '# smsgw recording 1'
const MAX_LINES = 50_000
const MAX_LINE_LENGTH = 4_096

/** Reads a recording. Throws a RecordingError for anything that the format does not allow. */
export function readRecording(text: string): Recording {
  if (text.length > MAX_RECORDING_BYTES) {
    throw new RecordingError(`is larger than ${MAX_RECORDING_BYTES} bytes, the limit for a recording`)
  }
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) throw new RecordingError(`has more than ${MAX_LINES} lines, the limit for a recording`)
  if (lines[0] !== FIRST_LINE) throw new RecordingError(`line 1 must be "${FIRST_LINE}": this is not a recording`)
  const sections: { name: string; lines: RecordedLine[] }[] = []
  const remarks: string[] = []
  for (const [at, line] of lines.entries()) {
    const problem = readLine(line, sections, remarks)
    if (problem !== undefined) throw new RecordingError(`line ${at + 1} ${problem}`)
  }
  const origin = remarks.find((remark) => /^(Composed|Captured) from /.test(remark))
  if (origin === undefined) throw new RecordingError('has no remark "# Composed from …" or "# Captured from …"')
  if (!sections.some((section) => section.lines.length > 0)) throw new RecordingError('has no dialogue')
  return {
    kind: origin.startsWith('Composed') ? 'composed' : 'captured',
    usb: valueIn(remarks, 'usb', /^[0-9a-f]{4}:[0-9a-f]{4}$/, '2c7c:0125'),
    profile: valueIn(remarks, 'profile', /^[a-z0-9][a-z0-9-]{0,39}$/, 'quectel'),
    sections,
  }
}

/** Adds the line to its section or to the remarks. Returns the problem of the line, if there is one. */
function readLine(
  line: string,
  sections: { name: string; lines: RecordedLine[] }[],
  remarks: string[],
): string | undefined {
  if (line === '') return undefined
  if (line.length > MAX_LINE_LENGTH) return `is longer than ${MAX_LINE_LENGTH} characters`
  if (!/^[\x20-\x7e]*$/.test(line)) return 'contains a character that is not printable ASCII'
  const [mark, rest] = [line.slice(0, 2), line.slice(2)]
  if (mark === '# ') {
    remarks.push(rest)
    return undefined
  }
  if (mark === '= ') {
    if (!/^[a-z][a-z0-9 -]{0,39}$/.test(rest))
      return 'is not a valid section name: use lower-case letters, digits and dashes'
    if (sections.some(({ name }) => name === rest)) return `repeats the section ${rest}`
    sections.push({ name: rest, lines: [] })
    return undefined
  }
  if (mark !== '> ' && mark !== '< ') return 'must begin with "> ", "< ", "= " or "# "'
  const section = sections.at(-1)
  if (section === undefined) return 'is before the first section'
  const text = unescaped(rest)
  if (text === undefined)
    return 'has a backslash in a wrong place: write \\\\ for a backslash, or \\x with two hexadecimal digits for another character'
  section.lines.push({ from: mark === '> ' ? 'host' : 'modem', text })
  return undefined
}

function valueIn(remarks: readonly string[], name: string, form: RegExp, example: string): string | undefined {
  const found = remarks.find((remark) => remark.startsWith(`${name} `))?.slice(name.length + 1)
  if (found === undefined || form.test(found)) return found
  throw new RecordingError(`has the remark "# ${name} ${found}", which must look like "# ${name} ${example}"`)
}

/** Returns undefined if an escape is not valid. */
function unescaped(text: string): string | undefined {
  if (text.replaceAll(/\\\\|\\x[0-9a-f]{2}/g, '').includes('\\')) return undefined
  return text
    .replace(/\^Z$/, '\x1a')
    .replaceAll(/\\\\|\\x([0-9a-f]{2})/g, (_, hex) =>
      hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
    )
}
