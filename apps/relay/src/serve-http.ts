import type { Server } from 'node:https'
import type { Log } from '@smsgw/daemon/log'
import type { FastifyInstance } from 'fastify'
import { type CertificateFiles, readCertificate, renewCertificate } from './certificate.ts'
import type { RelayConfig } from './config.ts'
import { serveConsole } from './console/serve-console.ts'
import { buildServer, type ServerParts } from './http/build-server.ts'
import { rootRoute } from './http/route.ts'
import type { ConnectedAgents } from './link/connected-agents.ts'
import { proxyAddress } from './link/proxy-address.ts'
import { isAgentUpgrade, serveAgents } from './link/serve-agents.ts'
import { listen } from './listen.ts'
import type { LiveEvents } from './live/live-events.ts'
import type { Metrics } from './metrics/metrics.ts'
import { scrapeMetrics } from './metrics/scrape-metrics.ts'
import { unusedConnections } from './unused-connections.ts'

/** Time for requests in progress at shutdown. */
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
  live: LiveEvents,
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
  const agentServer = serveAgents(server.server, agents, { addressOf, nowMs: () => performance.now() })
  const url = await listen(server, { host: config.HOST, port: config.PORT })
  const endWatch = files && renewCertificate(server.server as Server, files, log)
  return {
    url,
    async close() {
      endWatch?.()
      // The server cannot close while streams and agent connections are open.
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
  const url = await listen(server, { host: config.METRICS_HOST, port: config.METRICS_PORT })
  return { url, close: () => finish(server, endUnused) }
}

function certificateFiles({ TLS_CERT: cert, TLS_KEY: key }: RelayConfig): CertificateFiles | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key }
}

async function finish(server: FastifyInstance, endUnused: () => void): Promise<void> {
  const impatience = setTimeout(() => server.server.closeAllConnections(), FINISH_MS)
  // Repeatedly, because the last connections are accepted while the server closes.
  const sweep = setInterval(endUnused, SWEEP_MS)
  endUnused()
  await server.close()
  clearInterval(sweep)
  clearTimeout(impatience)
}
