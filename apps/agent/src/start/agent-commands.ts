import { examineModem } from '../doctor/examine-modem.ts'
import { examineWithin } from '../doctor/examine-within.ts'
import { CommandHandler } from '../link/command-handler.ts'
import { runModemCommand } from '../modems/modem-commands.ts'
import { storeDetectedBaudRate } from '../modems/stored-baud-rate.ts'
import { trySavePin } from '../setup/saved-pins.ts'
import { unlockAndSavePin } from '../setup/unlock-sim.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { ControlSocket } from '../status/control-socket.ts'
import type { AgentParts } from './agent-parts.ts'
import { keyStatus } from './agent-status.ts'

/** Creates the handler of the commands from the relay. */
export function createCommands(parts: AgentParts, status: () => AgentStatus): CommandHandler {
  const { store, messaging, modems, problems } = parts
  const { dataDir, modems: modemOptions } = parts.options
  const { fleet } = modems
  return new CommandHandler({
    journal: store.journal,
    sender: messaging.sender,
    time: messaging.time,
    journalId: () => store.marks.journalId,
    sweep: () => fleet.sweep(),
    ussd: (command) => fleet.ussd.ask(command),
    modem: (command) =>
      runModemCommand(fleet.actorOf(command.simNumber), command, (entered) =>
        trySavePin(dataDir, modemOptions.sims, entered),
      ),
    examine: () =>
      examineWithin({ dataDir, wanted: modemOptions.wanted, status, examineModems: () => examineModems(parts) }),
    onError: problems.onError,
  })
}

/** Opens the socket for the commands that are run on this machine. */
export function openControlSocket(parts: AgentParts, status: () => AgentStatus): Promise<ControlSocket> {
  const { clock, dataDir, modems } = parts.options
  const { fleet } = parts.modems
  return ControlSocket.open(dataDir, clock, {
    status,
    examine: () => examineModems(parts),
    ussd: (request) => fleet.ussd.ask(request),
    rotateEncryptionKey: () => rotateEncryptionKey(parts),
    unlock: (request) =>
      unlockAndSavePin({ actors: fleet.actors, areNumbersKept: true, ...modems.sims }, dataDir, request),
    storeBaudRate: ({ port }) => storeDetectedBaudRate(fleet.actors, port),
  })
}

function examineModems({ options, modems }: AgentParts) {
  return Promise.all(modems.fleet.actors.map((actor) => examineModem(actor, options.clock)))
}

async function rotateEncryptionKey({ options, deviceKeys, modems, toLink }: AgentParts) {
  const key = await deviceKeys.rotate()
  toLink({ kind: 'facts-changed', facts: { encryptionKey: key } })
  await modems.reporter.keyReplaced(key)
  options.log.info(`encryption key replaced: version ${key.version} is in use`)
  return keyStatus(deviceKeys)
}
