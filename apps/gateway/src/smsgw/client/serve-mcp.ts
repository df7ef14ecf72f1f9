import { printable } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import { serveOverStdio } from '@smsgw/mcp/stdio'
import { VERSION } from '@smsgw/relay/version'

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
