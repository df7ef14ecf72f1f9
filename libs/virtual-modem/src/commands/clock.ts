import { epochMsFromTimeStamp, timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import { quotedTimeStamp } from '../messaging/text-mode.ts'
import { answer, type CommandTable, cmeError, error, ok } from './command.ts'

/** CCLK, CTZU, CTZR: 27.007 §8.15, §8.40, §8.41. */
export const clockCommands: CommandTable = {
  '+CCLK': {
    test: () => ok,
    read: ({ epochMs, network }) =>
      answer(`+CCLK: ${quotedTimeStamp(timeStampFromEpochMs(epochMs, network.zoneQuarters))}`),
    set: (modem, parameters) => {
      const epochMs = epochOf(parameters.text(0) ?? '', modem.network.zoneQuarters)
      if (epochMs === undefined) return cmeError(50)
      modem.clockOffsetMs = epochMs - modem.clock.epochMs()
      return ok
    },
  },
  '+CTZU': {
    test: () => answer('+CTZU: (0,1,3)'),
    read: ({ settings }) => answer(`+CTZU: ${settings.timeZoneUpdates}`),
    set: ({ settings }, parameters) => {
      const mode = parameters.number(0)
      if (![0, 1, 2, 3].includes(mode)) return error
      settings.timeZoneUpdates = mode
      return ok
    },
  },
  '+CTZR': {
    test: () => answer('+CTZR: (0-2)'),
    read: ({ settings }) => answer(`+CTZR: ${settings.timeZoneReports}`),
    set: ({ settings }, parameters) => {
      const mode = parameters.number(0)
      if (![0, 1, 2].includes(mode)) return error
      settings.timeZoneReports = mode
      return ok
    },
  },
}

function epochOf(text: string, zoneHere: number): number | undefined {
  const [, year, month, day, hour, minute, second, zone] =
    /^(\d\d)\/(\d\d)\/(\d\d),(\d\d):(\d\d):(\d\d)([+-]\d{1,2})?$/.exec(text) ?? []
  if (year === undefined) return undefined
  const zoneQuarters = zone === undefined ? zoneHere : Number(zone)
  const stamp = {
    year: 2000 + Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    zoneQuarters,
  }
  const possible =
    stamp.month >= 1 && stamp.month <= 12 && stamp.day >= 1 && stamp.day <= 31 && stamp.hour < 24 && stamp.minute < 60
  return possible && stamp.second < 60 && Math.abs(zoneQuarters) <= 79 ? epochMsFromTimeStamp(stamp) : undefined
}
