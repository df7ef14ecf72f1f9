import { Gauge, type Registry } from 'prom-client'

/** Of this process, as it is when it is asked. */
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
    help: 'Open sockets of agents, also of those that have not shown yet who they are',
    registers: [registry],
    collect() {
      this.set(agents.socketCount)
    },
  })
}
