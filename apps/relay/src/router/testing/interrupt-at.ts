import { Interrupted } from '../moves/move-account.ts'
import type { AccountMove, MoveStep } from '../moves/move-records.ts'

/** Returns a listener that ends a command before this step of a move, as a kill would. */
export function interruptAt(wanted: MoveStep | undefined): (move: AccountMove) => void {
  return ({ step }) => {
    if (step === wanted) throw new Interrupted()
  }
}
