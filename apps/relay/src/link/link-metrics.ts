import { Gauge, Histogram, type Registry } from 'prom-client'

/** Gauges of this process, read at each scrape. */
export function agentMetrics(
  registry: Registry,
  agents: { readonly count: number; readonly socketCount: number },
): void {
  new Gauge({
    name: 'smsgw_agents_connected',
    help: 'Devices whose agent is connected to this relay',
    registers: [registry],
    collect() {
      this.set(agents.count)
    },
  })
  new Gauge({
    name: 'smsgw_agent_sockets',
    help: 'Open sockets of agents, including those that are not authenticated yet',
    registers: [registry],
    collect() {
      this.set(agents.socketCount)
    },
  })
}

/** Returns a function that records how long a send had been due when it was dispatched. */
export function dispatchMetrics(registry: Registry): (seconds: number) => void {
  const latency = new Histogram({
    name: 'smsgw_dispatch_latency_seconds',
    help: 'Time from when a message is due until it is dispatched to its device; long if the device is offline or its queue is full',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers: [registry],
  })
  return (seconds) => latency.observe(seconds)
}
