import type { Statements } from '../../store/database.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { closeConnections } from '../claim/close-connections-statement.ts'
import { endOldRelayLeases, endRelayLease } from '../claim/end-relay-leases-statement.ts'
import { findEndedConnections } from '../claim/find-ended-connections-statement.ts'
import { findLostSends } from '../claim/find-lost-sends-statement.ts'
import { findOldRelays } from '../claim/find-old-relays-statement.ts'
import { findOpenSends } from '../claim/find-open-sends-statement.ts'
import { findSilentSends } from '../claim/find-silent-sends-statement.ts'
import { findStaleSettings } from '../claim/find-stale-settings-statement.ts'
import { findUnconnectedDevices } from '../claim/find-unconnected-devices-statement.ts'
import { lockDevice } from '../claim/lock-device-statement.ts'
import { readDeviceKeys } from '../claim/read-device-keys-statement.ts'
import { recordConnection } from '../claim/record-connection-statement.ts'
import { renewLeases } from '../claim/renew-leases-statement.ts'
import { renewRelayLease } from '../claim/renew-relay-lease-statement.ts'
import { reopenConnection } from '../claim/reopen-connection-statement.ts'
import { storeSims } from '../claim/store-sims-statement.ts'
import { claimCommands } from '../dispatch/claim-commands-statement.ts'
import { findWaitingCommands } from '../dispatch/find-waiting-commands-statement.ts'
import { findDevicesWithWork } from '../dispatch/find-work-statement.ts'
import { readUnacknowledgedCommands } from '../dispatch/read-unacknowledged-statement.ts'
import { recordTelemetry } from '../record-telemetry-statement.ts'

/** Runs every statement of the link at least once, for `statements.test.ts`. */
export function linkExamples(
  now: Date,
  connection: AgentConnection,
): Readonly<Record<string, (statements: Statements) => Promise<unknown>>> {
  const arrivingAgent = {
    ...{ ...connection, connEpoch: 1n, bootId: 'boot', agentVersion: '1.0.0' },
    ...{ capabilities: [], sims: [{ simNumber: 1, state: 'ready' }] },
  }
  return {
    'link/claim/close-connections-statement.ts': (s) => closeConnections(s, [connection], now),
    'link/claim/end-relay-leases-statement.ts': async (s) => {
      await endRelayLease(s, 'relay')
      await endOldRelayLeases(s, now)
    },
    'link/claim/find-ended-connections-statement.ts': (s) =>
      findEndedConnections(s as never, [{ ...connection, deviceId: 'other' }]),
    'link/claim/find-lost-sends-statement.ts': (s) => findLostSends(s, now, 1),
    'link/claim/find-old-relays-statement.ts': (s) => findOldRelays(s as never, { relayId: 'relay', worker: 1 }),
    'link/claim/find-open-sends-statement.ts': (s) => findOpenSends(s, connection),
    'link/claim/find-silent-sends-statement.ts': (s) =>
      findSilentSends(s, { afterExpiryMs: 0, silenceMs: 0 }, new Date('2027-01-01'), 1),
    'link/claim/find-stale-settings-statement.ts': (s) =>
      findStaleSettings(s as never, [{ connection, settingsVersion: 0 }]),
    'link/claim/find-unconnected-devices-statement.ts': (s) =>
      findUnconnectedDevices(s as never, { relayId: 'relay', now }, [connection]),
    'link/claim/lock-device-statement.ts': (s) => lockDevice(s, connection),
    'link/claim/renew-leases-statement.ts': (s) => renewLeases(s as never, [connection], { leaseMs: 1, now }),
    'link/claim/renew-relay-lease-statement.ts': (s) =>
      renewRelayLease(s as never, { relayId: 'relay', worker: 1, leaseMs: 1, now }),
    'link/claim/read-device-keys-statement.ts': (s) => readDeviceKeys(s, ['device']),
    'link/claim/record-connection-statement.ts': (s) =>
      recordConnection(s, arrivingAgent, { relayId: 'r', leaseMs: 1, now }),
    'link/claim/reopen-connection-statement.ts': (s) =>
      reopenConnection(s, arrivingAgent, { relayId: 'r', leaseMs: 1, now }),
    'link/claim/store-sims-statement.ts': (s) => storeSims(s, 'device', [{ simNumber: 1, state: 'ready' }], now),
    'link/dispatch/claim-commands-statement.ts': (s) =>
      claimCommands(s, connection, { sends: 1, urgentSends: 1, others: 1 }, now),
    'link/dispatch/find-waiting-commands-statement.ts': (s) => findWaitingCommands(s, [connection], now),
    'link/dispatch/find-work-statement.ts': (s) => findDevicesWithWork(s as never, 'relay', now),
    'link/dispatch/read-unacknowledged-statement.ts': (s) => readUnacknowledgedCommands(s, connection, now),
    'link/record-telemetry-statement.ts': (s) => recordTelemetry(s, [{ connection, receivedAt: now, json: '{}' }]),
  }
}
