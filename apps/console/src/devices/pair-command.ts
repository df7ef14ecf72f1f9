/** The command for the computer with the modem. The link uses TLS if this page does. */
export function pairCommand(origin: string, code: string): { readonly packaged: string; readonly checkout: string } {
  const pair = `pair ${origin.replace(/^http/, 'ws')} ${code}`
  return { packaged: `sudo smsgw agent ${pair}`, checkout: `npm run agent -- ${pair}` }
}

/** Returns true if only programs on the same computer can reach this host. */
export function isLocalHost(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Commands for the machine with the modem. */
export const agentStatusCommand = 'sudo smsgw agent status'
export const gatewayStatusCommand = 'sudo smsgw gateway status'
