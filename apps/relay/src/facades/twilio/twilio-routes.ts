import type { CoreDeps } from '../../core-deps.ts'
import type { WakeHints } from '../../hints/wake-hints.ts'
import { type Route, rootRoute } from '../../http/route.ts'
import type { AcceptRequest } from '../../messages/accept/accept-request.ts'
import type { MessageRules } from '../../messages/accept/check-message.ts'
import type { Move } from '../../messages/progress/message-progress.ts'
import type { Outbox } from '../../webhooks/outbox/enqueue-events.ts'
import type { StatusReceivers } from '../status-receivers.ts'
import { fetchAccount, listAccounts } from './account-endpoints.ts'
import { deleteTwilioMessage, updateMessage } from './change-message.ts'
import { createMessage } from './create-message.ts'
import { fetchMedia, listMedia } from './media-endpoints.ts'
import { fetchMessage, listTwilioMessages } from './read-messages.ts'

interface TwilioRouteDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly rules: Pick<MessageRules, 'defaultRegion'>
  readonly accept: AcceptRequest
  readonly hints: Pick<WakeHints, 'wake'>
  readonly outbox: Outbox
  readonly statusReceivers: StatusReceivers
  readonly onMoved: (moves: readonly Move[]) => void
}

const READING = ['messages:read', 'inbox:list'] as const
const MEDIA = [...READING, 'inbox:read'] as const
const MESSAGES = '/2010-04-01/Accounts/{account}/Messages.json'
/** `{message}` is a SID with `.json`. */
const MESSAGE = '/2010-04-01/Accounts/{account}/Messages/{message}'

/** The message resources of Twilio's API, described in docs/integrations/twilio.md. */
export function twilioRoutes(deps: TwilioRouteDeps): Route[] {
  return [
    rootRoute('GET', '/2010-04-01/Accounts.json', 'any scope', 'List accounts (Twilio)', listAccounts(deps)),
    rootRoute('GET', '/2010-04-01/Accounts/{account}', 'any scope', 'Get the account (Twilio)', fetchAccount(deps)),
    rootRoute('POST', MESSAGES, 'messages:send', 'Send a message (Twilio)', createMessage(deps)),
    rootRoute('GET', MESSAGES, ['messages:list', 'inbox:list'], 'List messages (Twilio)', listTwilioMessages(deps)),
    rootRoute('GET', MESSAGE, READING, 'Get a message (Twilio)', fetchMessage(deps)),
    rootRoute('GET', `${MESSAGE}/Media.json`, READING, 'List media of a message (Twilio)', listMedia(deps)),
    rootRoute('GET', `${MESSAGE}/Media/{media}`, MEDIA, 'Get media of a message (Twilio)', fetchMedia(deps)),
    rootRoute('POST', MESSAGE, 'messages:cancel', 'Cancel or redact a message (Twilio)', updateMessage(deps)),
    rootRoute('DELETE', MESSAGE, 'messages:cancel', 'Delete a message (Twilio)', deleteTwilioMessage(deps)),
  ]
}
