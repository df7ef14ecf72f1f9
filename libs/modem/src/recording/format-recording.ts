import type { RecordedSection } from './dialogue-recorder.ts'

/**
 * Writes a recording in the format of `docs/recordings.md`. `remarks`: the lines at the top, such as `Captured from one
 * Quectel EC25.`
 */
export function formatRecording(remarks: readonly string[], sections: readonly RecordedSection[]): string {
  const head = ['# smsgw recording 1', ...remarks.map((remark) => `# ${escaped(remark)}`)]
  const body = sections.flatMap(({ name, lines }) => [
    `= ${name}`,
    ...lines.map(({ from, text }) => `${from === 'host' ? '>' : '<'} ${escaped(text)}`),
  ])
  return `${[...head, ...body].join('\n')}\n`
}

function escaped(text: string): string {
  const line = text.endsWith('\x1a') ? `${text.slice(0, -1)}^Z` : text
  return line.replace(/\\|[^\x20-\x7e]/g, (char) => {
    return char === '\\' ? '\\\\' : `\\x${(char.charCodeAt(0) & 0xff).toString(16).padStart(2, '0')}`
  })
}
