import type { SmsGateway } from '@smsgw/client'
import { printable } from '@smsgw/daemon/terminal/printable'
import { VERSION } from '@smsgw/daemon/version'
import { serveOverStdio } from '@smsgw/mcp/stdio'

/**
 * Serves the tools for AI assistants until the client closes standard input. Standard output is used only by the
 * protocol.
 */
export async function serveMcp(sms: SmsGateway): Promise<number> {
  await serveOverStdio({
    api: sms,
    version: VERSION,
    input: process.stdin,
    output: process.stdout,
    onError: ({ message }) => process.stderr.write(`smsgw: ${printable(message)}\n`),
  })
  return 0
}
