import { idParams } from '@smsgw/contract/fields/ids'
import { messageState } from '@smsgw/contract/messages/message'
import type { CoreDeps } from '../core-deps.ts'
import type { WakeHints } from '../hints/wake-hints.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { Statements } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox/enqueue-events.ts'
import { findMessage } from './find-message-statement.ts'
import { messageAnswer } from './message-answer.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import type { Move } from './progress/message-progress.ts'
import { unknownMessage } from './read-messages.ts'
import type { StoredMessage } from './stored-message.ts'

export interface CancelMessageDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly hints: Pick<WakeHints, 'wake'>
  readonly outbox: Outbox
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/**
 * Cancels the recipients that have not been dispatched. For dispatched recipients, requests a cancel from the device,
 * which can cancel messages that it has not given to a modem yet.
 */
export function cancelMessage({ database, clock, hints, outbox, onMoved }: CancelMessageDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: messageState },
    errors: [409],
    async handle({ principal: { accountId }, params: { id } }) {
      const { message, moves } = await database.$transaction((statements) =>
        cancel(statements, accountId, id, clock.now()),
      )
      onMoved?.(moves)
      if (message.state === 'Cancelling') hints.wake([message.deviceId])
      outbox.wake()
      return { status: 200, body: messageAnswer(message, { content: false }) }
    },
  })
}

async function cancel(
  statements: Statements,
  accountId: string,
  id: string,
  at: Date,
): Promise<{ readonly message: StoredMessage; readonly moves: readonly Move[] }> {
  const before = await findMessage(statements, accountId, id)
  if (before === undefined) throw unknownMessage()
  // Decides under the locks which recipients can still be cancelled.
  const { changed, moves } = await advanceMessages(
    statements,
    before.recipients.map(({ cmdId }) => ({ accountId, cmdId, input: { kind: 'cancel-requested', at } })),
    at,
  )
  const message = (await findMessage(statements, accountId, id)) ?? before
  if (changed.size === 0 && !isStopped(message)) throw nothingToStop(message)
  return { message, moves }
}

/**
 * Returns true if the cancel is repeated. A repeated cancel is not an error, and is answered with the present state.
 */
function isStopped({ state }: StoredMessage): boolean {
  return state === 'Cancelling' || state === 'Cancelled'
}

function nothingToStop({ state }: StoredMessage): ApiError {
  return new ApiError(409, `The message is ${state} and can no longer be cancelled`, { reason: 'message_final' })
}
