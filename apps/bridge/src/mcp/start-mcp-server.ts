import type { SmsGateway, SmsGatewayOptions } from '@smsgw/client'
import { listenProblem } from '@smsgw/daemon/listen-problem'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { VERSION } from '@smsgw/daemon/version'
import { MCP_PATH, McpHttpServer } from '@smsgw/mcp/http'
import type { McpConfig } from '../config.ts'
import { ChannelState } from '../state/channel-state.ts'

export interface McpChannelOptions {
  readonly config: McpConfig
  /** Creates a client with the credentials of a caller. The credentials of the bridge are never used. */
  readonly connect: (options: Pick<SmsGatewayOptions, 'credentials'> & Partial<SmsGatewayOptions>) => SmsGateway
  readonly log: Log
}

/**
 * Limits for a request. An assistant waits for each answer, so a call fails early instead of being repeated for
 * minutes.
 */
const QUICK = { maxRetries: 2, maxDelayMs: 5_000, timeoutMs: 20_000 }

/** Starts the MCP server for AI assistants. Each assistant has its own API key. */
export async function startMcpServer({ config, connect, log }: McpChannelOptions) {
  const { MCP_HOST: host, MCP_PORT: port, MCP_ALLOWED_HOSTS: more } = config
  const server = new McpHttpServer({
    host,
    port,
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', ...more],
    connect: (apiKey) => connect({ ...QUICK, credentials: { apiKey } }),
    version: VERSION,
    onError: ({ message }) => log.warn({ reason: message }, 'MCP request failed'),
  })
  const listening = await server.listen().catch((error: Error) => {
    const settings = { host: 'MCP_HOST', port: 'MCP_PORT' }
    throw new StartError(listenProblem(error, { host, port }, settings), { cause: error })
  })
  log.info({ host, port: listening, path: MCP_PATH }, 'MCP server listening')
  // Reports that the channel works from now on. A server that cannot listen would have stopped the bridge before.
  const state = new ChannelState('mcp', {})
  return { report: () => state.report(), stop: () => server.stop() }
}
