import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import { disturbedListing } from '../../faults/storage.ts'
import {
  type MemoryEntry,
  receivedRead,
  receivedUnread,
  storedSent,
  storedUnsent,
} from '../../messaging/message-memory.ts'
import type { Storage } from '../../messaging/storages.ts'
import { showStored, stateNames } from '../../messaging/stored-message.ts'
import type { CommandParameters } from '../../wire/parameters.ts'
import { answer, type CommandTable, cmsError, type Finished, type Outcome, ok, pending } from '../command.ts'

/** CPMS, CMGL, CMGR, CMGD: 27.005 §3.2.2, §3.4.2, §3.4.3, §3.5.4 and §4.1, §4.2. */
export const messageStorageCommands: CommandTable = {
  '+CPMS': {
    needs: 'sms',
    test: ({ personality }) => answer(`+CPMS: ${personality.messages.storageRanges}`),
    read: ({ settings, storages }) =>
      answer(`+CPMS: ${settings.memories.map((name) => `"${name}",${storages.usage(name)}`).join(',')}`),
    set: ({ settings, storages }, parameters) => {
      const names = [0, 1, 2].map((place) => parameters.text(place) ?? settings.memories[place] ?? 'SM')
      if (names.some((name) => storages.get(name) === undefined)) return cmsError(302)
      settings.memories = [names[0] ?? 'SM', names[1] ?? 'SM', names[2] ?? 'SM']
      return answer(`+CPMS: ${settings.memories.map((name) => storages.usage(name)).join(',')}`)
    },
  },
  '+CMGL': {
    needs: 'sms',
    test: ({ settings }) =>
      answer(
        `+CMGL: ${settings.messageFormat === 0 ? '(0-4)' : `(${stateNames.map((name) => `"${name}"`).join(',')})`}`,
      ),
    set: list,
    execute: list,
  },
  '+CMGR': { needs: 'sms', test: () => ok, set: read },
  '+CMGD': {
    needs: 'sms',
    test: (modem) => {
      const slots = [...(opened(modem)?.entries() ?? [])].map(([slot]) => slot + modem.personality.messages.firstIndex)
      return answer(`+CMGD: (${slots.join(',')}),(0-4)`)
    },
    set: remove,
  },
}

function opened({ storages, settings }: MobileEquipment): Storage | undefined {
  return storages.get(settings.memories[0])
}

const all = 4

function list(modem: MobileEquipment, parameters: CommandParameters): Outcome {
  const { settings, faults, power, personality, random } = modem
  const storage = opened(modem)
  const wanted = wantedState(modem, parameters.text(0))
  if (storage === undefined || wanted === undefined) return cmsError(302)
  if (faults.strike('list-hang')) return pending(() => power.hang())
  const keepUnread = parameters.number(1, 0) === 1
  const entries: string[] = []
  for (const [slot, message] of storage.entries()) {
    if (wanted !== all && message.state !== wanted) continue
    entries.push(showStored(modem, '+CMGL', message, slot + personality.messages.firstIndex))
    if (!keepUnread) markRead(message)
  }
  // 27.005 §3.4.2: status reports are also listed, and only their format depends on the mode.
  return answer(...(settings.quiet ? entries : disturbedListing(faults, entries, () => personality.statusLine(random))))
}

function wantedState({ settings }: MobileEquipment, given: string | undefined): number | undefined {
  if (given === undefined) return receivedUnread
  if (settings.messageFormat === 1) {
    const state = stateNames.indexOf(given.toUpperCase())
    return state < 0 ? undefined : state
  }
  return /^[0-4]$/.test(given) ? Number(given) : undefined
}

function read(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const { personality } = modem
  const storage = opened(modem)
  const slot = parameters.number(0) - personality.messages.firstIndex
  if (storage === undefined || !(slot >= 0 && slot < storage.capacity)) return cmsError(321)
  const message = storage.at(slot)
  if (message === undefined) {
    switch (personality.messages.emptySlot) {
      case 'error':
        return cmsError(321)
      case 'ok':
        return ok
      case 'zero':
        return answer('+CMGR: 0,,0\r\n')
    }
  }
  const shown = showStored(modem, '+CMGR', message)
  if (parameters.number(1, 0) !== 1) markRead(message)
  return answer(shown)
}

function markRead(message: MemoryEntry): void {
  if (message.state === receivedUnread) message.state = receivedRead
}

/** The states of the messages that each flag deletes. 0 deletes only the message at the index (27.005 §3.5.4). */
const removedByFlag: readonly (readonly number[])[] = [
  [],
  [receivedRead],
  [receivedRead, storedSent],
  [receivedRead, storedSent, storedUnsent],
  [receivedUnread, receivedRead, storedSent, storedUnsent],
]

function remove(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const { personality, faults } = modem
  const storage = opened(modem)
  const flag = parameters.number(1, 0)
  const states = removedByFlag[flag]
  if (storage === undefined || states === undefined) return cmsError(302)
  const refused = faults.strike('delete-refused')
  if (refused) return cmsError(refused.code)
  if (flag > 0) {
    for (const [slot, { state }] of [...storage.entries()]) if (states.includes(state)) storage.remove(slot)
    return ok
  }
  const slot = parameters.number(0) - personality.messages.firstIndex
  if (!(slot >= 0 && slot < storage.capacity)) return cmsError(321)
  storage.remove(slot)
  return ok
}
