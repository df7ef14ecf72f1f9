import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentIdentity, identityFile } from '@smsgw/agent/link/agent-identity'
import { inThisProcess } from '@smsgw/agent/link/in-process-socket'
import { type DataFolder, takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { ownerOfData } from '@smsgw/daemon/files/default-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { finishRestore } from './backup/restored-folder.ts'

/** Locks the folder for this gateway and finishes an interrupted restore. Refuses data of a relay or a paired agent. */
export function takeGatewayFolder(path: string): DataFolder {
  const folder = takeDataFolder(path)
  finishRestore(folder.path)
  const owner = ownerOfData(folder.path)
  if (owner === 'relay') throw foreignData(folder.path, 'a relay', 'relay', 'database')
  if (owner === 'agent' && isPaired(folder.path))
    throw foreignData(folder.path, 'an agent', 'agent', 'agent-identity.json journal*')
  return folder
}

/** Returns the error for data of an earlier release, in which all programs used one default folder. */
function foreignData(path: string, owner: string, folder: string, names: string): StartError {
  const move = `cd ${path} && mkdir -p ${folder} && mv ${names} ${folder}/`
  return new StartError(
    `${path} contains the data of ${owner}. Set DATA_DIR to another folder, or move that data to the folder of ${owner}: ${move}`,
  )
}

/**
 * Returns true if the agent is paired with a relay on another machine. The agent inside a gateway is never paired like
 * that.
 */
function isPaired(path: string): boolean {
  const file = join(path, identityFile)
  const url = existsSync(file) ? AgentIdentity.load(file).relay?.url : undefined
  return url !== undefined && url !== inThisProcess
}
