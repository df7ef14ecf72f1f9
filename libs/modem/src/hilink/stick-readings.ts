import type { Registration, Technology } from '../commands/network/registration.ts'
import type { Signal } from '../commands/network/signal.ts'
import { childNumber, childText, type XmlElement } from './xml.ts'

/** Reads the registration from `monitoring/status`. Service status 2 means registered. */
export function stickRegistration(status: XmlElement): Registration {
  const isRegistered = childNumber(status, 'ServiceStatus') === 2
  const isRoaming = childNumber(status, 'RoamingStatus') === 1
  const extended = childNumber(status, 'CurrentNetworkTypeEx')
  const technology = technologyOf(extended ? extended : childNumber(status, 'CurrentNetworkType'))
  return {
    domain: '+CEREG',
    stat: isRegistered ? (isRoaming ? 5 : 1) : 2,
    status: isRegistered ? (isRoaming ? 'roaming' : 'home') : 'searching',
    area: undefined,
    cell: undefined,
    technology: isRegistered ? technology : undefined,
  }
}

/** Reads the bars from `monitoring/status`, and the levels from `device/signal`, if the stick supports this request. */
export function signalIn(status: XmlElement, levels: XmlElement | undefined): Signal {
  const icon = childNumber(status, 'SignalIcon')
  const most = childNumber(status, 'maxsignal') || 5
  const rsrpDbm = levelIn(levels, 'rsrp')
  const rsrqDb = levelIn(levels, 'rsrq')
  return {
    dBm: levelIn(levels, 'rssi'),
    bars: icon === undefined ? undefined : Math.max(0, Math.min(4, Math.round((icon * 4) / most))),
    ...(rsrpDbm !== undefined && { rsrpDbm }),
    ...(rsrqDb !== undefined && { rsrqDb }),
  }
}

/** Reads a level such as `-67dBm`, `&gt;=-51dBm` or `-11.0dB`. */
function levelIn(levels: XmlElement | undefined, name: string): number | undefined {
  const level = /-\d{1,3}/.exec(childText(levels, name) ?? '')
  return level === null ? undefined : Number(level[0])
}

function technologyOf(number: number | undefined): Technology | undefined {
  return number === undefined ? undefined : technologies.find(([numbers]) => numbers.includes(number))?.[1]
}

const technologies: readonly (readonly [readonly number[], Technology])[] = [
  [[1, 2, 31], 'GSM'],
  [[3, 32], 'EDGE'],
  [[4, 41], 'UMTS'],
  [[5, 6, 7, 8, 9, 17, 18, 42, 43, 44, 45, 46, 65], 'HSPA'],
  [[19, 101, 1011], 'LTE'],
  [[20, 111], '5G'],
]
