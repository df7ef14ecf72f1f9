import type { Personality } from '../personalities/personality.ts'
import { callCommands, ussdCommands } from './call.ts'
import { clockCommands } from './clock.ts'
import { answer, type CommandTable } from './command.ts'
import { functionalityCommands } from './functionality.ts'
import { identityCommands } from './identity.ts'
import { messageSendingCommands } from './messages/message-sending.ts'
import { messageServiceCommands } from './messages/message-service.ts'
import { messageStorageCommands } from './messages/message-storage.ts'
import { operatorCommands } from './operator.ts'
import { packetCommands } from './packet.ts'
import { registrationCommands, signalCommands } from './registration.ts'
import { phonebookCommands } from './sim/phonebook.ts'
import { simAccessCommands } from './sim/sim-access.ts'
import { simSecurityCommands } from './sim/sim-security.ts'
import { terminalCommands } from './terminal.ts'

const generalCommands: CommandTable = {
  ...terminalCommands,
  ...identityCommands,
  ...functionalityCommands,
  ...simSecurityCommands,
  ...simAccessCommands,
  ...registrationCommands,
  ...operatorCommands,
  ...signalCommands,
  ...packetCommands,
  ...clockCommands,
  ...phonebookCommands,
  ...ussdCommands,
  ...callCommands,
  ...messageServiceCommands,
  ...messageStorageCommands,
  ...messageSendingCommands,
}

/**
 * Returns all commands of a modem family; a command that the family does not have is answered like an unknown command.
 */
export function commandTable(personality: Personality): CommandTable {
  // Caches the table, because building it would take most of the time of a simulated boot.
  const made = tables.get(personality) ?? makeTable(personality)
  tables.set(personality, made)
  return made
}

const tables = new WeakMap<Personality, CommandTable>()

function makeTable(personality: Personality): CommandTable {
  const table = new Map(Object.entries(generalCommands))
  for (const name of personality.lacks) table.delete(name)
  for (const [name, command] of Object.entries(personality.commands)) table.set(name, command)
  const names = [...table.keys()].filter((name) => name.startsWith('+')).sort()
  table.set('+CLAC', { test: () => answer(), execute: () => answer(...names) })
  return Object.assign(Object.create(null), Object.fromEntries(table))
}
