import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'

/** The parts of the network time, which each vendor formats differently. */
export function networkTime(epochMs: number, zoneQuarters: number): TimeAnnouncement {
  const at = timeStampFromEpochMs(epochMs, zoneQuarters)
  const sign = zoneQuarters < 0 ? '-' : '+'
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    numbers: [at.year, at.month, at.day, at.hour, at.minute, at.second],
    text: `${two(at.year % 100)}/${two(at.month)}/${two(at.day)},${two(at.hour)}:${two(at.minute)}:${two(at.second)}`,
    zone: `${sign}${two(Math.abs(zoneQuarters))}`,
    shortZone: `${sign}${Math.abs(zoneQuarters)}`,
  }
}

export interface TimeAnnouncement {
  /** Year, month, day, hour, minute, second. */
  readonly numbers: readonly number[]
  /** `26/03/01,15:46:11` */
  readonly text: string
  /** The zone in hours with a sign and two digits: `+08` */
  readonly zone: string
  /** `+8` */
  readonly shortZone: string
}
