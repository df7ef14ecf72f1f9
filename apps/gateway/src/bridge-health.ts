import type { ComponentStatus } from '@smsgw/agent/status/agent-status'
import type { ChannelReport } from '@smsgw/bridge/state/channel-state'
import type { HealthSource } from '@smsgw/relay/health/health-sources'

/** The bridge of a gateway, which starts after relay and agent. */
export interface BridgeState {
  /** The enabled channels. */
  readonly names: readonly string[]
  /** The channels that have started. */
  readonly reports: () => readonly ChannelReport[]
}

/**
 * One check for each channel. A channel that does not work is a warning: the gateway itself accepts messages. `/health`
 * is public, so the description does not contain addresses of servers.
 */
export function bridgeHealth({ names, reports }: BridgeState): HealthSource[] {
  return names.map((name) => ({
    name: `bridge:${name}`,
    probes: [],
    check() {
      const report = reports().find((each) => each.name === name)
      if (report === undefined) return { status: 'warn', description: 'starting', observedValue: 0, observedUnit: 's' }
      const seconds = Math.round((Date.now() - report.since.getTime()) / 1000)
      const state = report.problem === undefined ? 'works' : 'does not work'
      return {
        status: report.problem === undefined ? 'pass' : 'warn',
        description: `${state} since ${report.since.toISOString()}`,
        observedValue: seconds,
        observedUnit: 's',
      }
    },
  }))
}

/**
 * Returns the same checks for `status` and `doctor`. Contains addresses, because only users of this machine can run
 * these commands.
 */
export function bridgeStatus({ names, reports }: BridgeState): ComponentStatus[] {
  const started = new Map(reports().map((report) => [report.name, report]))
  return names.map((name) => {
    const report = started.get(name)
    return {
      component: 'Bridge',
      part: name,
      problem: report === undefined ? 'starting' : report.problem,
      since: (report?.since ?? new Date()).toISOString(),
    }
  })
}
