/**
 * Shortens a reason to the 123 bytes of a close frame. Reduces it to ASCII, because it may contain input from the other
 * end.
 */
export function closeReason(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, 120)
}
