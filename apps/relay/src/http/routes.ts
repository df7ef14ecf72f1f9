import { liveEventScopes } from '@smsgw/contract/live-event'
import type { Registry } from 'prom-client'
import type { Auth } from '../auth/auth.ts'
import { listConversations } from '../conversations/list-conversations.ts'
import { showConversation } from '../conversations/show-conversation.ts'
import { CONVERSATION_SCOPES } from '../conversations/sights.ts'
import { askNetwork } from '../devices/ask-network.ts'
import { createPairingCode } from '../devices/create-pairing-code.ts'
import { deleteDevice } from '../devices/delete-device.ts'
import { examineDevice } from '../devices/examine-device.ts'
import { getDevice } from '../devices/get-device.ts'
import { listDeviceTelemetry } from '../devices/list-device-telemetry.ts'
import { listDevices } from '../devices/list-devices.ts'
import { getHealth } from '../health/get-health.ts'
import { exportInbox } from '../inbox/export-inbox.ts'
import { getInboxItem } from '../inbox/get-inbox-item.ts'
import { listInbox } from '../inbox/list-inbox.ts'
import { refreshInbox } from '../inbox/refresh-inbox.ts'
import { streamEvents } from '../live/stream-events.ts'
import { listLogs } from '../logs/list-logs.ts'
import { cancelMessage } from '../messages/cancel-message.ts'
import { getMessage } from '../messages/get-message.ts'
import { listMessages } from '../messages/list-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { scrapeMetrics } from '../metrics/scrape-metrics.ts'
import { getSettings } from '../settings/get-settings.ts'
import { patchSettings } from '../settings/patch-settings.ts'
import { replaceSettings } from '../settings/replace-settings.ts'
import { showStatistics } from '../statistics/show-statistics.ts'
import { showTimeline } from '../timeline/show-timeline.ts'
import { lookAtVirtualPhone } from '../virtual-phone/look-at-virtual-phone.ts'
import { writeFromVirtualPhone } from '../virtual-phone/write-from-virtual-phone.ts'
import { deleteWebhook } from '../webhooks/delete-webhook.ts'
import { listDeliveries } from '../webhooks/list-deliveries.ts'
import { listWebhooks } from '../webhooks/list-webhooks.ts'
import { redeliverOne } from '../webhooks/redeliver-one.ts'
import { redeliverRange } from '../webhooks/redeliver-range.ts'
import { registerWebhook } from '../webhooks/register-webhook.ts'
import { rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts'
import { showDelivery } from '../webhooks/show-delivery.ts'
import { testWebhook } from '../webhooks/test-webhook.ts'
import { getDocs } from './docs-page/get-docs.ts'
import { getApiCatalog } from './openapi/get-api-catalog.ts'
import { getOpenapi } from './openapi/get-openapi.ts'
import { openapiDocument } from './openapi/openapi-document.ts'
import { everywhereRoute, type Route, rootRoute, route } from './route.ts'

/** What the endpoints need, all together. */
export type RouteParts = Parameters<typeof sendMessage>[0] &
  Parameters<typeof cancelMessage>[0] &
  Parameters<typeof refreshInbox>[0] &
  Parameters<typeof deleteDevice>[0] &
  Parameters<typeof createPairingCode>[0] &
  Parameters<typeof askNetwork>[0] &
  Parameters<typeof patchSettings>[0] &
  Parameters<typeof registerWebhook>[0] &
  Parameters<typeof lookAtVirtualPhone>[0] &
  Parameters<typeof streamEvents>[0] &
  Parameters<typeof getHealth>[0] & {
    readonly auth: Auth
    readonly registry: Registry
    /** Left out: metrics are not served here. */
    readonly metricsToken: string | undefined
  }

/** Everything that can be asked: method, path, who may, what for, and what answers. */
export function routes(parts: RouteParts): Route[] {
  const { auth, registry, metricsToken } = parts
  const document = () => openapiDocument(table, parts.version)
  const metrics = metricsToken === undefined ? [] : [metricsRoute(registry, metricsToken)]
  const table: Route[] = [
    route('POST', '/account/password', 'no token', 'Changes the password', auth.changeOwnPassword),

    route('POST', '/auth/token', 'tokens:manage', 'Issues a token', auth.issueToken),
    route('POST', '/auth/token/refresh', 'refresh token', 'Exchanges a refresh token', auth.refreshToken),
    route('DELETE', '/auth/token/{jti}', 'tokens:manage', 'Revokes a token', auth.revokeToken),
    route('GET', '/tokens', 'tokens:manage', 'Lists tokens', auth.listTokens),

    route('POST', '/session', 'public', 'Signs a browser in', auth.beginSession),
    route('GET', '/session', 'any scope', 'Tells who calls', auth.showSession),
    route('DELETE', '/session', 'any scope', 'Signs a browser out', auth.endSession),

    route('POST', '/messages', 'messages:send', 'Accepts a message', sendMessage(parts)),
    route('GET', '/messages', 'messages:list', 'Lists messages', listMessages(parts)),
    route('GET', '/messages/{id}', 'messages:read', 'Shows a message', getMessage(parts)),
    route('GET', '/messages/{id}/timeline', 'messages:read', 'Shows what happened to a message', showTimeline(parts)),
    route('DELETE', '/messages/{id}', 'messages:cancel', 'Cancels a message', cancelMessage(parts)),
    route('POST', '/messages/inbox/export', 'messages:export', 'Tells webhooks of the inbox again', exportInbox(parts)),

    route('GET', '/conversations', CONVERSATION_SCOPES, 'Lists conversations', listConversations(parts)),
    route('GET', '/conversations/{number}', CONVERSATION_SCOPES, 'Shows a conversation', showConversation(parts)),

    route('GET', '/inbox', 'inbox:list', 'Lists received messages', listInbox(parts)),
    route('GET', '/inbox/{id}', 'inbox:list', 'Shows a received message', getInboxItem(parts)),
    route('POST', '/inbox/refresh', 'inbox:refresh', 'Reads the SIMs again', refreshInbox(parts)),
    route('POST', '/inbox/export', 'messages:export', 'Tells webhooks of the inbox again', exportInbox(parts)),

    route('GET', '/devices', 'devices:list', 'Lists devices', listDevices(parts)),
    route('GET', '/devices/{id}', 'devices:list', 'Shows a device', getDevice(parts)),
    route('GET', '/devices/{id}/telemetry', 'devices:list', 'Shows how a device was', listDeviceTelemetry(parts)),
    route('DELETE', '/devices/{id}', 'devices:delete', 'Removes a device', deleteDevice(parts)),
    route('POST', '/devices/codes', 'devices:write', 'Makes a code to pair an agent by', createPairingCode(parts)),
    route('POST', '/devices/{id}/findings', 'devices:write', 'Looks for what is wrong', examineDevice(parts)),
    route('POST', '/devices/{id}/ussd', 'devices:write', 'Asks the network by USSD', askNetwork(parts)),

    route('GET', '/settings', 'settings:read', 'Shows the settings', getSettings(parts)),
    route('PUT', '/settings', 'settings:write', 'Replaces the settings', replaceSettings(parts)),
    route('PATCH', '/settings', 'settings:write', 'Changes settings', patchSettings(parts)),

    route('GET', '/webhooks', 'webhooks:list', 'Lists webhooks', listWebhooks(parts)),
    route('POST', '/webhooks', 'webhooks:write', 'Registers or replaces a webhook', registerWebhook(parts)),
    route('DELETE', '/webhooks/{id}', 'webhooks:delete', 'Removes a webhook', deleteWebhook(parts)),
    route('POST', '/webhooks/{id}/test', 'webhooks:write', 'Sends a sample event', testWebhook(parts)),
    route('POST', '/webhooks/{id}/secret', 'webhooks:write', 'Makes a new secret', rotateWebhookSecret(parts)),
    route('GET', '/webhooks/{id}/deliveries', 'webhooks:list', 'Lists what a webhook was told', listDeliveries(parts)),
    route('POST', '/webhooks/{id}/redeliver', 'webhooks:write', 'Tells a time range again', redeliverRange(parts)),
    route('GET', '/webhooks/deliveries/{id}', 'webhooks:list', 'Shows what a webhook was told', showDelivery(parts)),
    route(
      'POST',
      '/webhooks/deliveries/{id}/redeliver',
      'webhooks:write',
      'Tells one event again',
      redeliverOne(parts),
    ),

    route('GET', '/statistics', 'messages:list', 'Counts what happened when', showStatistics(parts)),
    route('GET', '/events', liveEventScopes, 'Tells what happens, as it happens', streamEvents(parts)),
    route('GET', '/logs', 'logs:read', 'Lists what happened', listLogs(parts)),

    route('GET', '/virtual-phone', 'messages:list', 'Shows the phones of a virtual modem', lookAtVirtualPhone(parts)),
    route('POST', '/virtual-phone', 'messages:send', 'Writes to a virtual modem', writeFromVirtualPhone(parts)),

    everywhereRoute('GET', '/health', 'public', 'Tells how everything is', getHealth(parts)),
    everywhereRoute('GET', '/health/live', 'public', 'Tells whether the process is alive', getHealth(parts, 'live')),
    everywhereRoute('GET', '/health/ready', 'public', 'Tells whether requests may come', getHealth(parts, 'ready')),
    everywhereRoute('GET', '/health/startup', 'public', 'Tells whether it has started', getHealth(parts, 'startup')),

    ...metrics,
    rootRoute('GET', '/openapi.json', 'public', 'Describes the API', getOpenapi(document)),
    rootRoute('GET', '/docs', 'public', 'Describes the API to people', getDocs(document)),
    rootRoute('GET', '/.well-known/api-catalog', 'public', 'Says where the descriptions are', getApiCatalog()),
    rootRoute('GET', '/.well-known/jwks.json', 'public', 'Lists the keys that verify tokens', auth.publishKeys),
  ]
  return table
}

function metricsRoute(registry: Registry, token: string): Route {
  return rootRoute('GET', '/metrics', 'public', 'Shows the metrics', scrapeMetrics(registry, token))
}
