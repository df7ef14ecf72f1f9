/** What is typed at the computer with the modem. The link goes over TLS where this page does. */
export function pairCommand(origin: string, code: string): string {
  return `smsgw-agent pair ${origin.replace(/^http/, 'ws')} ${code}`
}
