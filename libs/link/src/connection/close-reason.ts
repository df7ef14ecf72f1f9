/** A close frame has room for 123 bytes. The text may contain input from the other end, so it is reduced to ASCII. */
export function closeReason(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, 120)
}
