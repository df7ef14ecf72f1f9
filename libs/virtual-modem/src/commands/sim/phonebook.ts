import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import type { Phonebook, PhonebookEntry } from '../../sim/phonebook.ts'
import { textForHost, textFromHost } from '../../wire/character-set.ts'
import { answer, type CommandTable, cmeError, type Finished, ok } from '../command.ts'
import { typeOfNumber } from '../identity.ts'

/** CPBS, CPBR, CPBF, CPBW and CSCS: 27.007 §8.11 to §8.14, §5.5. */
export const phonebookCommands: CommandTable = {
  '+CSCS': {
    test: ({ personality }) => answer(`+CSCS: (${personality.characterSets.map((set) => `"${set}"`).join(',')})`),
    read: ({ settings }) => answer(`+CSCS: "${settings.characterSet}"`),
    set: ({ settings, personality }, parameters) => {
      const wanted = parameters.text(0)?.toUpperCase()
      const known = personality.characterSets.find((set) => set === wanted)
      if (known === undefined) return cmeError(50)
      settings.characterSet = known
      return ok
    },
  },
  '+CPBS': {
    needs: 'unlocked',
    test: ({ personality }) =>
      answer(`+CPBS: (${['SM', ...personality.phonebooks].map((name) => `"${name}"`).join(',')})`),
    read: (modem) => {
      const book = opened(modem)
      return answer(`+CPBS: "${modem.settings.phonebook}",${book?.used ?? 0},${book?.capacity ?? 0}`)
    },
    set: (modem, parameters) => {
      const name = parameters.text(0)?.toUpperCase() ?? ''
      if (name !== 'SM' && !modem.personality.phonebooks.includes(name)) return cmeError(3)
      modem.settings.phonebook = name
      return ok
    },
  },
  '+CPBR': {
    needs: 'unlocked',
    test: (modem) => {
      const book = opened(modem)
      return answer(`+CPBR: (1-${book?.capacity ?? 0}),20,${book?.longestName ?? 14}`)
    },
    set: (modem, parameters) => {
      const book = opened(modem)
      const first = parameters.number(0)
      const last = parameters.number(1, first)
      if (book === undefined || !(first >= 1 && first <= book.capacity && last >= 1)) return cmeError(21)
      const found = book.between(first, last)
      if (found.length === 0 && parameters.count === 1) return cmeError(22)
      return shown(modem, '+CPBR', found)
    },
  },
  '+CPBF': {
    needs: 'unlocked',
    test: (modem) => answer(`+CPBF: 20,${opened(modem)?.longestName ?? 14}`),
    set: (modem, parameters) => {
      const text = textFromHost(parameters.text(0) ?? '', modem.settings.characterSet)
      const found = text === undefined ? [] : (opened(modem)?.find(text) ?? [])
      return found.length === 0 ? cmeError(22) : shown(modem, '+CPBF', found)
    },
  },
  '+CPBW': {
    needs: 'unlocked',
    test: (modem) => {
      const book = opened(modem)
      return answer(`+CPBW: (1-${book?.capacity ?? 0}),20,(129,145,161),${book?.longestName ?? 14}`)
    },
    set: (modem, parameters) => {
      const book = opened(modem)
      const index = parameters.text(0) === undefined ? undefined : parameters.number(0)
      if (book === undefined || Number.isNaN(index)) return cmeError(21)
      if (parameters.count === 1) return index !== undefined && book.remove(index) ? ok : cmeError(21)
      const entry = entryOf(modem, parameters.text(1) ?? '', parameters.number(2, 129), parameters.text(3) ?? '')
      if (entry === undefined) return cmeError(25)
      if (entry.name.length > book.longestName) return cmeError(24)
      if (index === undefined && book.used >= book.capacity) return cmeError(20)
      return book.write(index, entry) ? ok : cmeError(21)
    },
  },
}

function opened({ sim, nonVolatile, settings }: MobileEquipment): Phonebook | undefined {
  switch (settings.phonebook) {
    case 'ME':
      return nonVolatile.phonebook
    case 'ON':
      return sim?.ownNumbers
    case 'FD':
      return sim?.fixedDialling
    default:
      return settings.phonebook === 'SM' ? sim?.phonebook : undefined
  }
}

function shown(modem: MobileEquipment, prefix: string, found: readonly [number, PhonebookEntry][]): Finished {
  const { characterSet } = modem.settings
  return answer(
    ...found.map(
      ([index, { name, number }]) =>
        `${prefix}: ${index},"${number}",${typeOfNumber(number)},"${textForHost(name, characterSet)}"`,
    ),
  )
}

function entryOf(
  { settings }: MobileEquipment,
  digits: string,
  type: number,
  name: string,
): PhonebookEntry | undefined {
  const text = textFromHost(name, settings.characterSet)
  if (text === undefined || !/^\+?[\d*#a-cpw]{1,40}$/i.test(digits)) return undefined
  return { name: text, number: type === 145 && !digits.startsWith('+') ? `+${digits}` : digits }
}
