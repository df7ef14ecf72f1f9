import type { Instruction } from './instruction.ts'
import { messageInstructions } from './messages.ts'
import { modemInstructions } from './modem.ts'
import { networkInstructions } from './network.ts'

export const allInstructions: Readonly<Record<string, Instruction>> = {
  ...messageInstructions,
  ...modemInstructions,
  ...networkInstructions,
}
