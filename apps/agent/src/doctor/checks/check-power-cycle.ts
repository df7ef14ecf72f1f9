import { silentFailures } from '@smsgw/modem/setup/startup-failure'
import type { ModemSite } from '../../modems/discovery/find-places.ts'
import { type PowerSetting, powerSwitchOf } from '../../modems/power/power-setting.ts'
import {
  gpioMissing,
  gpioToolVersion,
  powerCycleCommand,
  switchableHubs,
  uhubctlMissing,
} from '../../modems/power/power-tools.ts'
import type { ModemExamination } from '../examine-modem.ts'
import { type Finding, type Fix, failFinding, okFinding } from '../finding.ts'

/** Checks the tools that POWER_CYCLE needs. Switches nothing. */
export async function checkPowerCycle(setting: PowerSetting, ports: readonly string[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  if (setting.lines.size > 0) {
    const version = await gpioToolVersion()
    findings.push(
      version === undefined
        ? failFinding(subject, 'gpioset is not installed', gpioMissing.replace(/^.*: /, ''))
        : okFinding(subject, `gpioset of libgpiod ${version}`),
    )
  }
  if (setting.usb) {
    const hubs = await switchableHubs()
    if (hubs === undefined)
      findings.push(failFinding(subject, 'uhubctl is not installed', uhubctlMissing.replace(/^.*: /, '')))
    else if (hubs.length > 0) findings.push(okFinding(subject, `uhubctl switches the sockets of ${hubs.join(', ')}`))
    else findings.push(failFinding(subject, 'uhubctl finds no USB hub that can switch its sockets', noHub))
  }
  const unlisted = [...setting.lines.keys()].filter((address) => !ports.includes(address))
  const unlistedFindings = unlisted.map((address) =>
    failFinding(subject, `POWER_CYCLE names ${address}, which MODEMS does not list`, 'write the port as in MODEMS'),
  )
  return [...findings, ...unlistedFindings]
}

/**
 * Returns the fix for a modem that does not answer although its port can be used. The fix switches the modem off and on
 * in the way that POWER_CYCLE configures.
 */
export async function powerCycleFix(
  { status, blocked }: Pick<ModemExamination, 'status' | 'blocked'>,
  setting: PowerSetting,
  places: readonly ModemSite[],
  portFindings: readonly Finding[],
): Promise<Fix | undefined> {
  const { port = '', model } = status
  const isSilent = blocked === undefined ? model === undefined : silentFailures.has(blocked.reason)
  const isPortWrong = portFindings.some(({ level, subject }) => level === 'fail' && subject === `port ${port}`)
  const place = places.find(({ ports }) => ports.includes(port))
  const how = isSilent && !isPortWrong && place !== undefined ? powerSwitchOf(setting, place) : undefined
  const command = how && (await powerCycleCommand(how))
  return command && { about: `switch the modem at ${port} off and on`, commands: [command] }
}

const subject = 'power switch'
const noHub =
  'use a hub that can switch the power of each port; the agent needs a udev rule to control the hub (docs/guides/raspberry-pi.md)'
