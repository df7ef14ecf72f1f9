import type { IncomingMessage, Server } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { ListenError } from '@smsgw/daemon/listen-problem'
import type { Log } from '@smsgw/daemon/log/log'
import type { FastifyInstance } from 'fastify'
import { type CertificateFiles, readCertificate, renewCertificate } from './certificate.ts'
import type { RelayConfig } from './config.ts'
import { serveConsole } from './console/serve-console.ts'
import { buildServer, type ServerParts } from './http/build-server.ts'
import { rootRoute } from './http/route.ts'
import type { ConnectedAgents } from './link/connected-agents.ts'
import { proxyAddress } from './link/proxy-address.ts'
import { readRoutedChallenge } from './link/routed-challenge.ts'
import { isAgentUpgrade, serveAgents } from './link/serve-agents.ts'
import type { LiveEvents } from './live/live-events.ts'
import type { Metrics } from './metrics/metrics.ts'
import { scrapeMetrics } from './metrics/scrape-metrics.ts'
import type { PhoneStreams } from './mobile/streams/phone-streams.ts'
import type { SecretBox } from './store/secret-box.ts'

/** How long a shutdown waits for requests in progress. */
const FINISH_MS = 25_000
const SWEEP_MS = 500

export interface Served {
  readonly url: string
  /** Accepts no more connections and waits for the requests in progress. */
  close(): Promise<void>
}

export type ServeParts = Omit<ServerParts, 'log' | 'console' | 'trustedProxies' | 'tls'> &
  Metrics & { readonly config: RelayConfig; readonly log: Log }

/** Starts the HTTP server with all routes, the connections of agents and the web console. */
export async function serveRoutes(
  { config, log, ...parts }: ServeParts,
  agents: ConnectedAgents,
  { live, phones, box }: { readonly live: LiveEvents; readonly phones: PhoneStreams; readonly box: SecretBox },
): Promise<Served> {
  const files = certificateFiles(config)
  const tls = files && readCertificate(files)
  const server = buildServer({
    ...parts,
    log,
    trustedProxies: config.TRUSTED_PROXIES,
    tls,
    isUpgrade: isAgentUpgrade,
    console: config.CONSOLE_DIR === 'off' ? undefined : serveConsole(config.CONSOLE_DIR),
  })
  const endUnused = unusedConnections(server.server)
  const addressOf = proxyAddress(config.TRUSTED_PROXIES)
  const agentServer = serveAgents(server.server, agents, {
    addressOf,
    nowMs: () => performance.now(),
    requestId: parts.requestId,
    challengeOf: (request) => readRoutedChallenge(box, request, Date.now()),
  })
  const url = await listen(server, { host: config.HOST, port: config.PORT })
  const endWatch = files && renewCertificate(server.server as HttpsServer, files, log)
  return {
    url,
    async close() {
      endWatch?.()
      // Ends streams and agent connections first, because the server cannot close while they are open.
      phones.close()
      await Promise.all([agents.close(), agentServer.close(), live.close()])
      await finish(server, endUnused)
    },
  }
}

/** Starts the metrics server when METRICS_PORT is set. */
export async function serveMetrics({ config, log, ...parts }: ServeParts): Promise<Served | undefined> {
  if (config.METRICS_PORT === undefined) return undefined
  const row = rootRoute('GET', '/metrics', 'public', 'Get metrics for Prometheus', scrapeMetrics(parts.registry))
  const server = buildServer({ ...parts, log, trustedProxies: [], routes: [row], observe: undefined })
  const endUnused = unusedConnections(server.server)
  const where = { host: config.METRICS_HOST, port: config.METRICS_PORT }
  const url = await listen(server, where, { host: 'METRICS_HOST', port: 'METRICS_PORT' })
  return { url, close: () => finish(server, endUnused) }
}

function certificateFiles({ TLS_CERT: cert, TLS_KEY: key }: RelayConfig): CertificateFiles | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key }
}

/** Starts listening and returns the URL of the server. */
async function listen(
  server: FastifyInstance,
  where: { host: string; port: number },
  settings?: { host: string; port: string },
): Promise<string> {
  try {
    await server.listen(where)
  } catch (error) {
    throw new ListenError(error, where, settings)
  }
  const { port } = server.server.address() as AddressInfo
  const protocol = server.initialConfig.https ? 'https' : 'http'
  return `${protocol}://${where.host.includes(':') ? `[${where.host}]` : where.host}:${port}`
}

async function finish(server: FastifyInstance, endUnused: () => void): Promise<void> {
  const deadline = setTimeout(() => server.server.closeAllConnections(), FINISH_MS)
  // Runs repeatedly, because the server accepts connections until it is closed.
  const sweep = setInterval(endUnused, SWEEP_MS)
  endUnused()
  await server.close()
  clearInterval(sweep)
  clearTimeout(deadline)
}

/**
 * Tracks connections without a request, which browsers open in advance. Node does not count these connections as idle
 * and would wait for them on shutdown. Returns the function that closes them.
 */
function unusedConnections(server: Server): () => void {
  const unused = new Set<Socket>()
  const use = ({ socket }: IncomingMessage) => unused.delete(socket)
  // Over TLS, requests arrive on the TLS socket, not on the TCP socket of the `connection` event.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', use).on('upgrade', use)
  return () => {
    for (const socket of unused) socket.destroy()
  }
}
