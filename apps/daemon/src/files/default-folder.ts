import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The data folder of a gateway without DATA_DIR, relative to the working directory. */
export const gatewayFolder = './data'

/**
 * Returns the data folder of an agent, a bridge or a relay without DATA_DIR. Each program has its own folder. Earlier
 * releases used the same folder for every program, and this common folder is still used if it contains only the data of
 * this program.
 */
export function defaultFolder(program: 'agent' | 'bridge' | 'relay', common: string = gatewayFolder): string {
  return ownerOfData(common) === program ? common : `${common}/${program}`
}

/** Returns the program whose data is in the folder; undefined if the folder contains no data of a program. */
export function ownerOfData(folder: string): 'agent' | 'gateway' | 'relay' | undefined {
  const [isGateway, hasIdentity, hasDatabase] = [
    ['server-secret', 'credentials.json'],
    ['agent-identity.json'],
    ['database'],
  ].map((names) => names.some((name) => existsSync(join(folder, name))))
  if (isGateway || (hasIdentity && hasDatabase)) return 'gateway'
  if (hasDatabase) return 'relay'
  return hasIdentity ? 'agent' : undefined
}
