import { apiKey } from '@smsgw/contract/access/api-key'
import { scopes } from '@smsgw/contract/access/scopes'
import { findings } from '@smsgw/contract/devices/device'
import { pushEvents } from '@smsgw/contract/live/push-event'
import { agentFailureCodes, relayFailureCodes } from '@smsgw/contract/messages/failure-code'
import { approvalStates, sentByKind } from '@smsgw/contract/messages/message'
import { messageStates } from '@smsgw/contract/messages/message-states'
import { networkCauses } from '@smsgw/contract/messages/network-cause'
import { statisticsPeriods } from '@smsgw/contract/messages/statistics'
import { adviceCodes, timeline } from '@smsgw/contract/messages/timeline'
import { waitingReasons } from '@smsgw/contract/messages/waiting'
import { logEntry } from '@smsgw/contract/relay/log'
import { deliveryStates, webhook } from '@smsgw/contract/webhooks/webhook'
import { webhookEvents } from '@smsgw/contract/webhooks/webhook-event'
import { afterEach, expect, test } from 'vitest'
import { chooseLocale, languages } from './language.ts'
import './later-words.ts'
import { loadLocale, optionalText } from './text.ts'

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

/** The codes that the API can return, by the beginning of their keys in the catalogue. */
const codes: Readonly<Record<string, readonly string[]>> = {
  step: timeline.shape.entries.element.shape.kind.options,
  waiting: waitingReasons,
  failure: [...agentFailureCodes, ...relayFailureCodes],
  cause: networkCauses,
  advice: adviceCodes,
  messageState: messageStates,
  sentBy: sentByKind.options,
  // A pending approval is shown with its deadline.
  approvalState: approvalStates.filter((state) => state !== 'pending'),
  deliveryState: deliveryStates,
  event: webhookEvents,
  'webhooks.format': webhook.shape.format.unwrap().options,
  scope: scopes,
  keyState: apiKey.shape.state.options,
  diagnostics: findings.shape.findings.element.shape.verdict.options,
  logPriority: logEntry.shape.priority.options,
  'notify.event': pushEvents,
  period: statisticsPeriods,
}

test.each(languages.map(({ code }) => code))('every code of the API has words in %s', async (language) => {
  await loadLocale(chooseLocale(language, [language]))
  const wordless = Object.entries(codes).flatMap(([beginning, all]) =>
    all.map((code) => `${beginning}.${code}`).filter((key) => optionalText(key, { name: '' }) === undefined),
  )
  expect(wordless).toEqual([])
})
