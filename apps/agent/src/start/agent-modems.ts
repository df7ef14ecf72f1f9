import { randomUUID } from 'node:crypto'
import { readDiskSpace } from '@smsgw/daemon/files/disk-space'
import type { AgentInput } from '@smsgw/link/agent/state'
import type { WallClock } from '@smsgw/modem/modem-options'
import type { Json } from '../journal/change.ts'
import { findPlaces } from '../modems/discovery/find-places.ts'
import { watchDevices } from '../modems/discovery/watch-devices.ts'
import { ModemFleet } from '../modems/modem-fleet.ts'
import { DeviceReporter } from '../status/device-reporter.ts'
import type { AgentOptions } from './agent-options.ts'
import type { AgentStore } from './agent-store.ts'
import type { Messaging } from './messaging.ts'
import { modemListener } from './modem-listener.ts'
import type { AgentProblems } from './problem-log.ts'

export interface AgentModems {
  readonly fleet: ModemFleet
  readonly reporter: DeviceReporter
}

/**
 * Creates the modem fleet and the reporter of its state.
 *
 * @param notes what earlier processes stored about modems
 */
export function createModems(
  options: AgentOptions,
  messaging: Messaging,
  store: AgentStore,
  notes: Readonly<Record<string, Json>>,
  shownNumber: (number: string) => string,
  { onError }: AgentProblems,
  toLink: (input: AgentInput) => void,
): AgentModems {
  const { clock, log } = options
  const { wanted, open, sims, emulation, power, webLogin, hangUpCalls = false } = options.modems
  const { sender, time } = messaging
  const fleet: ModemFleet = new ModemFleet(
    {
      clock,
      journal: store.journal,
      open,
      sims,
      emulation,
      power,
      tuning: { modem: { hangUpCalls, wallClock, ...(webLogin && { webLogin }) } },
      discovery: {
        find: () => findPlaces(wanted),
        watch: (onChange) => watchDevices(wanted, onChange),
        onUnusable: (problem) => {
          log.warn(problem)
          reporter.log('WARN', 'modem', problem)
        },
      },
      newId: randomUUID,
      onJournalError: onError,
      onError,
      listener: modemListener(messaging, { log, clock, onError, reporter: () => reporter }),
    },
    notes,
  )
  const reporter: DeviceReporter = new DeviceReporter({
    keep: store.keep,
    clock,
    time,
    fleet,
    version: options.version,
    onSims: (simCards) => {
      sender.simsKnown(fleet.simNumbers)
      toLink({ kind: 'facts-changed', facts: { sims: simCards } })
    },
    onTelemetry: (at, sample) => toLink({ kind: 'telemetry', at, sample }),
    facts: () => ({
      platform: `${process.platform} ${process.arch}`,
      queue: { open: sender.open, waiting: sender.waiting, inDoubt: sender.inDoubt },
      journal: { sizeBytes: store.sizeBytes(), fsyncMs: store.fsyncMs },
    }),
    disk: () => readDiskSpace(options.dataDir),
    shownNumber,
  })
  return { fleet, reporter }
}

/** Local time of this machine. HiLink sticks are assumed to show dates in local time. */
const wallClock: WallClock = {
  epochMs: () => Date.now(),
  zoneQuartersAt: (epochMs) => -Math.round(new Date(epochMs).getTimezoneOffset() / 15),
}
