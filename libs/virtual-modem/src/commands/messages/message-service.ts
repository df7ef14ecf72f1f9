import { addressFromText } from '@smsgw/sms/fields/address'
import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import type { Cnmi } from '../../equipment/settings.ts'
import { serviceCentreFields } from '../../messaging/indication.ts'
import { decoded } from '../../messaging/pdu.ts'
import { textFromHost } from '../../wire/character-set.ts'
import type { CommandParameters } from '../../wire/parameters.ts'
import {
  answer,
  type CommandHandlers,
  type CommandTable,
  cmsError,
  error,
  type Finished,
  failWith,
  ok,
  remembered,
} from '../command.ts'

/** Settings for messages: 27.005 §3.2, §3.3, §3.4.1. */
export const messageServiceCommands: CommandTable = {
  '+CMGF': {
    needs: 'sms',
    test: () => answer('+CMGF: (0,1)'),
    read: ({ settings }) => answer(`+CMGF: ${settings.messageFormat}`),
    set: ({ settings }, parameters) => {
      const format = parameters.number(0, 0)
      if (format !== 0 && format !== 1) return error
      settings.messageFormat = format
      return ok
    },
    execute: ({ settings }) => {
      settings.messageFormat = 0
      return ok
    },
  },
  '+CSMS': {
    test: ({ personality }) => answer(`+CSMS: ${personality.messages.services}`),
    read: ({ settings }) => answer(`+CSMS: ${settings.messageService},1,1,1`),
    set: ({ settings, personality }, parameters) => {
      const service = parameters.number(0)
      if (service !== 0 && !(service === 1 && personality.messages.acknowledges)) return cmsError(302)
      settings.messageService = service
      return answer('+CSMS: 1,1,1')
    },
  },
  '+CNMI': {
    needs: 'sms',
    test: ({ personality }) => answer(`+CNMI: ${personality.messages.cnmiRanges}`),
    read: ({ settings }) => answer(`+CNMI: ${Object.values(settings.cnmi).join(',')}`),
    set: setIndications,
    execute: ({ settings }) => {
      settings.cnmi = { mode: 0, mt: 0, bm: 0, ds: 0, bfr: 0 }
      return ok
    },
  },
  '+CSCA': {
    needs: 'sms',
    test: () => ok,
    read: (modem) => answer(`+CSCA: ${serviceCentreFields(modem).join(',')}`),
    set: setServiceCentre,
  },
  '+CSMP': {
    needs: 'sms',
    test: () => answer('+CSMP: (0-255),(0-255),(0-255),(0-255)'),
    read: ({ settings: { csmp } }) =>
      answer(`+CSMP: ${csmp.firstOctet},${csmp.validityPeriod},${csmp.protocolIdentifier},${csmp.dataCodingScheme}`),
    set: setParameters,
  },
  '+CSDH': {
    test: () => answer('+CSDH: (0,1)'),
    read: ({ settings }) => answer(`+CSDH: ${settings.showHeaders ? 1 : 0}`),
    set: ({ settings }, parameters) => {
      const show = parameters.number(0, 0)
      if (show !== 0 && show !== 1) return error
      settings.showHeaders = show === 1
      return ok
    },
  },
  '+CSCB': {
    needs: 'sms',
    test: () => answer('+CSCB: (0,1)'),
    read: ({ settings: { broadcast } }) =>
      answer(`+CSCB: ${broadcast.mode},"${broadcast.identifiers}","${broadcast.codings}"`),
    set: ({ settings }, parameters) => {
      const mode = parameters.number(0, 0)
      const identifiers = parameters.text(1) ?? ''
      const codings = parameters.text(2) ?? ''
      if ((mode !== 0 && mode !== 1) || ![identifiers, codings].every((list) => /^[\d,-]{0,200}$/.test(list))) {
        return cmsError(305)
      }
      settings.broadcast = { mode, identifiers, codings }
      return ok
    },
  },
  '+CSAS': { needs: 'sms', test: () => answer('+CSAS: (0)'), set: save, execute: save },
  '+CRES': { needs: 'sms', test: () => answer('+CRES: (0)'), set: restore, execute: restore },
  '+CMMS': moreMessages(),
  '+CGSMS': remembered('+CGSMS', '(0-3)', '3', /^[0-3]$/),
}

function setIndications(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const { settings, personality, terminals } = modem
  const { mode, mt, bm, ds, bfr } = settings.cnmi
  const wanted: Cnmi = {
    mode: parameters.number(0, mode),
    mt: parameters.number(1, mt),
    bm: parameters.number(2, bm),
    ds: parameters.number(3, ds),
    bfr: parameters.number(4, bfr),
  }
  const highest = { mode: 3, mt: 3, bm: 3, ds: 2, bfr: 1 }
  const possible = Object.entries(highest).every(([name, most]) => wanted[name as keyof Cnmi] <= most)
  if (!possible || !personality.messages.acceptsCnmi(wanted)) return failWith(personality.messages.cnmiRefusal)
  settings.cnmi = wanted
  terminals.cnmiChanged()
  return ok
}

function setServiceCentre(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const { sim, settings } = modem
  const given = parameters.text(0)
  if (sim === undefined || given === undefined) return cmsError(304)
  const inHex = settings.characterSet === 'UCS2' && /^(00[0-9A-F]{2})+$/i.test(given)
  const number = inHex ? textFromHost(given, 'UCS2') : given
  const international = parameters.number(1, 129) === 145 && !number?.startsWith('+')
  const centre = `${international ? '+' : ''}${number}`
  const address = decoded(() => addressFromText(centre))
  if (address === undefined || address.typeOfNumber === 'alphanumeric') return cmsError(304)
  sim.serviceCentre = centre
  return ok
}

function setParameters(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const { settings, faults, sim } = modem
  const { csmp } = settings
  const firstOctet = parameters.number(0, csmp.firstOctet)
  const protocolIdentifier = parameters.number(2, csmp.protocolIdentifier)
  const dataCodingScheme = parameters.number(3, csmp.dataCodingScheme)
  const period = parameters.text(1)
  const validityPeriod =
    period === undefined ? csmp.validityPeriod : /^\d+$/.test(period) ? String(Number(period)) : `"${period}"`
  if (![firstOctet, protocolIdentifier, dataCodingScheme].every((octet) => octet <= 255)) return cmsError(305)
  if (/^\d+$/.test(validityPeriod) && Number(validityPeriod) > 255) return cmsError(305)
  settings.csmp = { firstOctet, validityPeriod, protocolIdentifier, dataCodingScheme }
  if (sim && faults.strike('csmp-clears-service-centre')) sim.serviceCentre = ''
  return ok
}

function moreMessages(): CommandHandlers {
  return {
    test: () => answer('+CMMS: (0-2)'),
    read: ({ settings }) => answer(`+CMMS: ${settings.moreMessages}`),
    set: ({ settings }, parameters) => {
      const mode = parameters.number(0, 0)
      if (![0, 1, 2].includes(mode)) return error
      settings.moreMessages = mode
      return ok
    },
  }
}

function save({ settings, nonVolatile, sim }: MobileEquipment): Finished {
  const { csmp, broadcast } = settings
  nonVolatile.messages = { csmp, broadcast, serviceCentre: sim?.serviceCentre ?? '' }
  return ok
}

function restore({ settings, nonVolatile, sim }: MobileEquipment): Finished {
  const saved = nonVolatile.messages
  if (saved === undefined) return ok
  settings.csmp = saved.csmp
  settings.broadcast = saved.broadcast
  if (sim) sim.serviceCentre = saved.serviceCentre
  return ok
}
