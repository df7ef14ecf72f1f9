import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpServerOptions } from './mcp-server.ts'

/** The largest request, which is larger than any tool needs. */
const MOST_BYTES = 1_048_576

export interface StdioOptions extends McpServerOptions {
  readonly input: Readable
  readonly output: Writable
  /** Receives errors of the connection. Standard output is used only by the protocol. */
  readonly onError: (error: Error) => void
}

/** Serves one client over standard input and output, until the client closes its end. */
export async function serveOverStdio({ input, output, onError, ...options }: StdioOptions): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_BYTES })
  const ended = Promise.withResolvers<void>()
  input.once('end', ended.resolve).once('close', ended.resolve)
  const handle = serveStdio(() => createMcpServer(options), { transport, onerror: onError })
  await ended.promise
  await handle.close()
}
