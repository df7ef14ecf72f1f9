import { realpath } from 'node:fs/promises'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { type AgentConfig, wantedModems } from '../config.ts'
import { withoutVirtual } from '../doctor/checks/check-ports.ts'
import { findPlaces, thisMachine } from '../modems/discovery/find-places.ts'
import { shareRules, udevRules } from '../modems/discovery/udev-rules.ts'
import { readUsbBus } from '../modems/discovery/usb-bus.ts'

/**
 * Prints udev rules for the modems that this agent uses, or only for the modems of the given ports. With `--share`,
 * ModemManager keeps the modems and leaves one port of each modem to this agent.
 */
export async function printUdevRules(config: AgentConfig, { positionals, values }: CommandLine): Promise<void> {
  const { places } = await findPlaces(withoutVirtual(wantedModems(config)))
  const ports = await Promise.all(positionals.map((port) => realpath(port).catch(() => port)))
  const strange = ports.find((port) => !places.some((place) => place.ports.includes(port)))
  if (strange !== undefined) throw new StartError(`${strange} is not a port of a USB modem that this agent uses`)
  const chosen =
    ports.length === 0 ? places : places.filter((place) => place.ports.some((port) => ports.includes(port)))
  const rules = values['share'] ? shareRules(chosen, await readUsbBus(thisMachine.sysfs)) : udevRules(chosen)
  process.stdout.write(rules)
}
