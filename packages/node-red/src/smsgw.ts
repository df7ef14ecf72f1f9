import { registerAccount } from './account.ts'
import { registerLookup } from './lookup.ts'
import type { NodeRed } from './node-red.ts'
import { registerReceive } from './receive.ts'
import { registerSend } from './send.ts'

/** Node-RED calls this function once, when it loads the package. */
export default function smsgw(red: NodeRed): void {
  registerAccount(red)
  registerSend(red)
  registerReceive(red)
  registerLookup(red)
}
