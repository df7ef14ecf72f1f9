import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import { joinOctets, octetsFromHex } from '@smsgw/sms/octets'
import { decodeSubmit } from '@smsgw/sms/tpdu/submit'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import { storageIsFull } from '../../faults/storage.ts'
import { tpduLength } from '../../messaging/indication.ts'
import {
  type MemoryEntry,
  type MemoryState,
  receivedRead,
  receivedUnread,
  storedSent,
  storedUnsent,
} from '../../messaging/message-memory.ts'
import { readOutgoing } from '../../messaging/outgoing.ts'
import { decoded } from '../../messaging/pdu.ts'
import { stateNames } from '../../messaging/stored-message.ts'
import { addressFromHost, submitOfText } from '../../messaging/text-submit.ts'
import type { CommandParameters } from '../../wire/parameters.ts'
import { type Asking, answer, type CommandTable, cmsError, type Outcome, ok, pending } from '../command.ts'
import { submitWithFaults } from './submit-with-faults.ts'

/** CMGS, CMGW, CMSS, CMGC, CNMA: 27.005 §3.5, §3.4.4 and §4.3 to §4.7. */
export const messageSendingCommands: CommandTable = {
  '+CMGS': { needs: 'sms', test: () => ok, set: send },
  '+CMGW': { needs: 'sms', test: () => ok, set: write, execute: write },
  '+CMSS': { needs: 'sms', test: () => ok, set: sendStored },
  '+CMGC': { needs: 'sms', test: () => ok, set: sendCommand },
  '+CNMA': {
    needs: 'sms',
    test: ({ settings }) => answer(`+CNMA: (0${settings.messageFormat === 0 ? '-2' : ''})`),
    set: acknowledge,
    execute: acknowledge,
  },
}

const longestTpdu = 176

function send(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  if (modem.settings.messageFormat === 1) {
    const given = parameters.text(0)
    const destination =
      given === undefined ? undefined : decoded(() => addressFromHost(modem, given, typeGiven(parameters, 1)))
    if (destination === undefined) return cmsError(305)
    return asking(true, (data) => {
      const made = decoded(() => encodeForModem(submitOfText(modem, destination, data)))
      return made ? submit(modem, made.octets) : cmsError(305)
    })
  }
  const length = parameters.number(0)
  if (parameters.count !== 1 || !(length >= 1 && length <= longestTpdu)) return cmsError(304)
  return asking(false, (data) => {
    const pdu = pduGiven(data, length)
    return pdu ? submit(modem, pdu) : cmsError(304)
  })
}

function submit(modem: MobileEquipment, pdu: Uint8Array): Outcome {
  const message = readOutgoing(pdu)
  return pending((finish) => submitWithFaults(modem, message, (reference) => `+CMGS: ${reference}`, finish))
}

function write(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  if (modem.settings.messageFormat === 1) return writeText(modem, parameters)
  const length = parameters.number(0)
  const state = parameters.number(1, storedUnsent)
  if (!(length >= 1 && length <= longestTpdu) || !isState(state)) return cmsError(304)
  return asking(false, (data) => {
    const pdu = pduGiven(data, length)
    return pdu ? store(modem, pdu, state) : cmsError(304)
  })
}

function writeText(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const given = parameters.text(0)
  const address =
    given === undefined ? undefined : decoded(() => addressFromHost(modem, given, typeGiven(parameters, 1)))
  const state = parameters.text(2) === undefined ? storedUnsent : stateNames.indexOf(parameters.text(2) ?? '')
  if ((given !== undefined && address === undefined) || !isState(state)) return cmsError(305)
  return asking(true, (data) => {
    const made = decoded(() => {
      const message = submitOfText(modem, address ?? addressFromText('0'), data)
      if (state === storedUnsent || state === storedSent) return encodeForModem(message)
      const { epochMs, network } = modem
      return encodeForModem({
        ...message,
        kind: 'deliver',
        moreMessagesToSend: false,
        loopPrevention: false,
        statusReportIndication: false,
        originator: message.destination,
        serviceCentreTimeStamp: timeStampFromEpochMs(epochMs, network.zoneQuarters),
      })
    })
    return made ? store(modem, made.octets, state) : cmsError(305)
  })
}

function store(modem: MobileEquipment, pdu: Uint8Array, state: MemoryState): Outcome {
  const { storages, settings, personality, faults } = modem
  const storage = storages.get(settings.memories[1])
  const kind = state === storedUnsent || state === storedSent ? 'submit' : kindReceived(pdu)
  const slot = storageIsFull(faults) ? undefined : storage?.store({ state, pdu, kind })
  return slot === undefined ? cmsError(322) : answer(`+CMGW: ${slot + personality.messages.firstIndex}`)
}

function sendStored(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const { storages, settings, personality } = modem
  const slot = parameters.number(0) - personality.messages.firstIndex
  const storage = storages.get(settings.memories[1])
  const stored = storage?.at(slot)
  if (stored === undefined) return cmsError(321)
  if (stored.kind !== 'submit') return cmsError(302)
  const given = parameters.text(1)
  const pdu = given === undefined ? stored.pdu : readdressed(modem, stored, given, typeGiven(parameters, 2))
  const message = readOutgoing(pdu)
  return pending((finish) =>
    submitWithFaults(
      modem,
      message,
      (reference) => `+CMSS: ${reference}`,
      (outcome) => {
        if (outcome.result === 'OK') stored.state = storedSent
        finish(outcome)
      },
    ),
  )
}

function readdressed(
  modem: MobileEquipment,
  { pdu }: MemoryEntry,
  given: string,
  type: number | undefined,
): Uint8Array {
  const start = 1 + (pdu[0] ?? 0)
  const destination = addressFromHost(modem, given, type)
  const { octets } = encodeForModem({ ...decodeSubmit(pdu, start), destination })
  return joinOctets([pdu.subarray(0, start), octets.subarray(1)])
}

function sendCommand(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const length = parameters.number(0)
  if (modem.settings.messageFormat === 1 || !(length >= 1 && length <= longestTpdu)) return cmsError(302)
  return asking(false, (data) => {
    const pdu = pduGiven(data, length)
    const message = pdu && readOutgoing(pdu)
    if (message?.tpdu.kind !== 'command') return cmsError(304)
    return pending((finish) => submitWithFaults(modem, message, (reference) => `+CMGC: ${reference}`, finish))
  })
}

/**
 * With the parameter 0 or 1, the host accepts the received message; with 2, it refuses the message. If a length is
 * given, an acknowledgement PDU follows (27.005 §3.4.4).
 */
function acknowledge(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const kind = parameters.number(0, 0)
  const length = parameters.number(1, 0)
  if (![0, 1, 2].includes(kind) || !(length <= longestTpdu)) return cmsError(304)
  if (modem.settings.messageFormat === 1 && parameters.count > 0 && kind !== 0) return cmsError(302)
  const say = () => (modem.incoming.acknowledge(kind !== 2) ? ok : cmsError(340))
  if (length === 0) return say()
  return asking(false, (data) => (pduGiven(data, length) ? say() : cmsError(304)))
}

function asking(text: boolean, given: Asking['given']): Asking {
  return { kind: 'asking', text, given }
}

/** Returns undefined when the data is not hexadecimal or its length is wrong. */
function pduGiven(data: string, length: number): Uint8Array | undefined {
  const pdu = decoded(() => octetsFromHex(data.replace(/\s/g, '')))
  return pdu !== undefined && tpduLength(pdu) === length ? pdu : undefined
}

function typeGiven(parameters: CommandParameters, place: number): number | undefined {
  return parameters.text(place) === undefined ? undefined : parameters.number(place)
}

function isState(state: number): state is MemoryState {
  return state === receivedUnread || state === receivedRead || state === storedUnsent || state === storedSent
}

function kindReceived(pdu: Uint8Array): MemoryEntry['kind'] {
  return ((pdu[1 + (pdu[0] ?? 0)] ?? 0) & 0b11) === 0b10 ? 'status-report' : 'deliver'
}
