/** What a close frame can carry: 123 bytes. Words of the other end may stand in it, whatever they are made of. */
export function closeReason(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, 120)
}
