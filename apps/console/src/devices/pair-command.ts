/** What is typed at the computer with the modem. The link goes over TLS where this page does. */
export function pairCommand(origin: string, code: string): { readonly packaged: string; readonly checkout: string } {
  const pair = `pair ${origin.replace(/^http/, 'ws')} ${code}`
  return { packaged: `sudo smsgw agent ${pair}`, checkout: `npm run agent -- ${pair}` }
}
