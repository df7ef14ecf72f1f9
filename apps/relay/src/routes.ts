import { liveEventScopes } from '@smsgw/contract/live/live-event'
import type { Registry } from 'prom-client'
import { getAttachment, getSentAttachment } from './attachments/send-attachment.ts'
import type { Auth } from './auth/auth.ts'
import { listConversations } from './conversations/list-conversations.ts'
import { showConversation } from './conversations/show-conversation.ts'
import { CONVERSATION_SCOPES } from './conversations/visibility.ts'
import type { CoreDeps } from './core-deps.ts'
import { askNetwork } from './devices/ask-network.ts'
import { changeDevice } from './devices/change-device.ts'
import { enterPin, restartModem } from './devices/control-modem.ts'
import { deleteDevice } from './devices/delete-device.ts'
import { examineDevice } from './devices/examine-device.ts'
import { getDevice, listDevices } from './devices/get-devices.ts'
import { listDeviceTelemetry } from './devices/list-device-telemetry.ts'
import { createPairingCode } from './devices/pairing/create-pairing-code.ts'
import type { PairingThrottle } from './devices/pairing/redeem-pairing-code.ts'
import { getDocs, getDocsFile } from './docs-page/get-docs.ts'
import { facadeRoutes } from './facades/facade-routes.ts'
import { StatusReceivers } from './facades/status-receivers.ts'
import { twilioRoutes } from './facades/twilio/twilio-routes.ts'
import { getHealth } from './health/get-health.ts'
import type { HealthSource } from './health/health-sources.ts'
import type { WakeHints } from './hints/wake-hints.ts'
import { alertHook } from './hooks/alert-hook.ts'
import { alertmanagerNotification, grafanaNotification } from './hooks/alert-notification.ts'
import { getApiCatalog } from './http/openapi/get-api-catalog.ts'
import { getOpenapi, mobileDocument, openapiDocument } from './http/openapi/openapi-document.ts'
import { everywhereRoute, type Route, rootRoute, route } from './http/route.ts'
import { getInboxItem, listInbox } from './inbox/read-inbox.ts'
import { exportInbox, refreshInbox } from './inbox/refresh-inbox.ts'
import type { LiveEvents } from './live/live-events.ts'
import { streamEvents } from './live/stream-events.ts'
import { listLogs } from './logs/logbook.ts'
import type { AcceptRequest } from './messages/accept/accept-request.ts'
import type { MessageRules } from './messages/accept/check-message.ts'
import { approveMessage, refuseMessage } from './messages/approval/decide-message.ts'
import { cancelMessage } from './messages/cancel-message.ts'
import type { Move } from './messages/progress/message-progress.ts'
import { getMessage, listMessages } from './messages/read-messages.ts'
import { sendMessage } from './messages/send-message.ts'
import { scrapeMetrics } from './metrics/scrape-metrics.ts'
import { mobileRoutes } from './mobile/mobile-routes.ts'
import type { PhoneStreams } from './mobile/streams/phone-streams.ts'
import {
  deleteSubscription,
  listSubscriptions,
  registerSubscription,
  showPushKey,
  testSubscription,
} from './push/manage-subscriptions.ts'
import type { PushKeys } from './push/push-keys.ts'
import type { Replicas } from './replicas/replicas.ts'
import { staleEndpoint } from './replicas/stale-endpoint.ts'
import { patchSettings, replaceSettings } from './settings/change-settings.ts'
import { listSettingEffects } from './settings/list-setting-effects.ts'
import { getSettings } from './settings/read-settings.ts'
import { changeConversation } from './shared-inbox/change-conversation.ts'
import { listAssignees, showDetails, showUnreadTotals } from './shared-inbox/conversation-details.ts'
import { changeLabel, createLabel, deleteLabel, listLabels } from './shared-inbox/labels.ts'
import { createNote, deleteNote } from './shared-inbox/notes.ts'
import { showStatistics } from './statistics/show-statistics.ts'
import { showTimeline } from './timeline/show-timeline.ts'
import { sendFromVirtualPhone, showVirtualPhone, type VirtualPhone } from './virtual-phone/virtual-phone.ts'
import type { AddressRules } from './webhooks/address-rules.ts'
import { changeWebhook } from './webhooks/api/change-webhook.ts'
import { deleteWebhook, listWebhooks, registerWebhook, rotateWebhookSecret } from './webhooks/api/manage-webhooks.ts'
import { listDeliveries, showDelivery } from './webhooks/api/read-deliveries.ts'
import { redeliverOne, redeliverRange } from './webhooks/api/redeliver.ts'
import { testWebhook } from './webhooks/api/test-webhook.ts'
import type { GuardedClient } from './webhooks/delivery/client/guarded-client.ts'
import type { Outbox } from './webhooks/outbox/enqueue-events.ts'

export interface RouteDeps {
  /** The parts that most features use. */
  readonly core: SharedDeps
  readonly auth: Auth
  readonly live: LiveEvents
  readonly messages: {
    readonly accept: AcceptRequest
    readonly rules: MessageRules
  }
  readonly webhooks: {
    /** Decides which addresses webhooks may have. */
    readonly addressRules: AddressRules
    readonly publicUrl: string | undefined
  }
  readonly push: {
    readonly keys: PushKeys
    /** The address at which push services can reach the operator. */
    readonly contact: string
    readonly client: Pick<GuardedClient, 'post'>
    readonly pushRules: AddressRules
  }
  readonly virtualPhone: VirtualPhone | undefined
  readonly phones: { readonly streams: PhoneStreams; readonly throttle: PairingThrottle; readonly maxPhones: number }
  readonly service: {
    readonly health: readonly HealthSource[]
    readonly version: string
    readonly metrics: {
      readonly registry: Registry
      /** Without a token, `/metrics` is not served on this port. */
      readonly token: string | undefined
    }
  }
}

interface SharedDeps extends CoreDeps {
  readonly replicas: Replicas
  readonly hints: WakeHints
  readonly outbox: Outbox
  readonly onMoved: (moves: readonly Move[]) => void
  readonly streamId: string
}

/** The route table with the method, path, scope, summary and handler of every endpoint. */
export function routes(deps: RouteDeps): Route[] {
  const { core, auth, live, service } = deps
  const messages = { ...core, ...deps.messages }
  const { accept } = messages
  const hooks = { accept, clock: core.clock, maxSegments: messages.rules.maxSegments }
  const webhooks = { ...core, ...deps.webhooks }
  const statusReceivers = new StatusReceivers(webhooks)
  const push = { ...core, ...deps.push }
  const phone = { ...core, virtualPhone: deps.virtualPhone }
  const document = () => openapiDocument(table, service.version)
  const phones = () => mobileDocument(table, service.version)
  const table: Route[] = [
    route('POST', '/account/password', 'no token', 'Change the password', auth.changeOwnPassword),

    route('POST', '/auth/token', 'tokens:manage', 'Issue a token', auth.issueToken),
    route('POST', '/auth/token/refresh', 'refresh token', 'Exchange a refresh token', auth.refreshToken),
    route('DELETE', '/auth/token/{jti}', 'tokens:manage', 'Revoke a token', auth.revokeToken),
    route('GET', '/tokens', 'tokens:manage', 'List tokens', auth.listTokens),

    route('GET', '/keys', 'keys:list', 'List API keys', auth.listKeys),
    route('POST', '/keys', 'keys:manage', 'Create an API key', auth.createKey),
    route('GET', '/keys/{id}', 'keys:list', 'Get an API key', auth.getKey),
    route('PATCH', '/keys/{id}', 'keys:manage', 'Change the name or limits of an API key', auth.changeKey),
    route('POST', '/keys/{id}/rotate', 'keys:manage', 'Replace an API key', auth.rotateKey),
    route('DELETE', '/keys/{id}', 'keys:manage', 'Revoke an API key', auth.revokeKey),

    route('POST', '/session', 'public', 'Sign in a browser', auth.beginSession),
    route('GET', '/session', 'any scope', 'Get the current account and its scopes', auth.showSession),
    route('DELETE', '/session', 'any scope', 'Sign out a browser', auth.endSession),

    route('POST', '/messages', 'messages:send', 'Send a message', sendMessage(accept)),
    route('GET', '/messages', 'messages:list', 'List messages', staleEndpoint(listMessages, messages)),
    route('GET', '/messages/{id}', 'messages:read', 'Get a message', getMessage(messages)),
    route(
      'GET',
      '/messages/{id}/attachments/{partId}',
      'messages:read',
      'Download an attachment of a sent MMS',
      getSentAttachment(core),
    ),
    route(
      'GET',
      '/messages/{id}/timeline',
      'messages:read',
      'Get the timeline of a message',
      staleEndpoint(showTimeline, core),
    ),
    route('DELETE', '/messages/{id}', 'messages:cancel', 'Cancel a message', cancelMessage(messages)),
    route('POST', '/messages/{id}/approve', 'messages:approve', 'Approve a message', approveMessage(messages)),
    route(
      'POST',
      '/messages/{id}/refuse',
      'messages:approve',
      'Reject a message that waits for approval',
      refuseMessage(messages),
    ),
    route('POST', '/messages/inbox/export', 'messages:export', 'Resend inbox events to webhooks', exportInbox(core)),

    route(
      'GET',
      '/conversations',
      CONVERSATION_SCOPES,
      'List conversations',
      staleEndpoint(listConversations, messages),
    ),
    route(
      'GET',
      '/conversations/{number}',
      CONVERSATION_SCOPES,
      'Get a conversation',
      staleEndpoint(showConversation, messages),
    ),

    route(
      'PATCH',
      '/conversations/{number}',
      'conversations:write',
      'Change a conversation',
      changeConversation(messages),
    ),
    route(
      'GET',
      '/conversations/{number}/details',
      'conversations:read',
      'Get labels, notes and assignee of a conversation',
      showDetails(messages),
    ),
    route('POST', '/conversations/{number}/notes', 'conversations:write', 'Add a note', createNote(messages)),
    route('DELETE', '/conversations/{number}/notes/{id}', 'conversations:write', 'Delete a note', deleteNote(messages)),
    route('GET', '/labels', 'conversations:read', 'List labels', listLabels(core)),
    route('POST', '/labels', 'conversations:write', 'Create a label', createLabel(core)),
    route('PATCH', '/labels/{id}', 'conversations:write', 'Rename a label or change its color', changeLabel(core)),
    route('DELETE', '/labels/{id}', 'conversations:write', 'Delete a label', deleteLabel(core)),
    route('GET', '/assignees', 'conversations:read', 'List assignees of conversations', listAssignees(messages)),
    route('GET', '/unread', 'inbox:list', 'Count unread messages', showUnreadTotals(messages)),

    route('GET', '/inbox', 'inbox:list', 'List received messages', staleEndpoint(listInbox, messages)),
    route('GET', '/inbox/{id}', 'inbox:list', 'Get a received message', getInboxItem(core)),
    route(
      'GET',
      '/inbox/{id}/attachments/{partId}',
      'inbox:read',
      'Download an attachment of a received message',
      getAttachment(core),
    ),
    route('POST', '/inbox/refresh', 'inbox:refresh', 'Read the SIMs again', refreshInbox(core)),
    route('POST', '/inbox/export', 'messages:export', 'Resend inbox events to webhooks', exportInbox(core)),

    route('GET', '/devices', 'devices:list', 'List devices', listDevices(core)),
    route('GET', '/devices/{id}', 'devices:list', 'Get a device', getDevice(core)),
    route(
      'GET',
      '/devices/{id}/telemetry',
      'devices:list',
      'List device telemetry',
      staleEndpoint(listDeviceTelemetry, core),
    ),
    route('PATCH', '/devices/{id}', 'devices:write', 'Rename a device and its SIMs', changeDevice(core)),
    route('DELETE', '/devices/{id}', 'devices:delete', 'Remove a device', deleteDevice(core)),
    route('POST', '/devices/codes', 'devices:write', 'Create a pairing code', createPairingCode(core)),
    route('POST', '/devices/{id}/findings', 'devices:write', 'Run diagnostics on a device', examineDevice(core)),
    route('POST', '/devices/{id}/pin', 'devices:write', 'Enter the PIN of a SIM', enterPin(core)),
    route('POST', '/devices/{id}/restart-modem', 'devices:write', 'Restart a modem', restartModem(core)),
    route('POST', '/devices/{id}/ussd', 'devices:write', 'Send a USSD request', askNetwork(core)),

    route('GET', '/settings', 'settings:read', 'Get the settings', getSettings(core)),
    route('GET', '/settings/effects', 'settings:read', 'List which settings take effect', listSettingEffects(core)),
    route('PUT', '/settings', 'settings:write', 'Replace the settings', replaceSettings(core)),
    route('PATCH', '/settings', 'settings:write', 'Change settings', patchSettings(core)),

    route('GET', '/webhooks', 'webhooks:list', 'List webhooks', listWebhooks(core)),
    route('POST', '/webhooks', 'webhooks:write', 'Register or replace a webhook', registerWebhook(webhooks)),
    route('PATCH', '/webhooks/{id}', 'webhooks:write', 'Change, pause or resume a webhook', changeWebhook(webhooks)),
    route('DELETE', '/webhooks/{id}', 'webhooks:delete', 'Remove a webhook', deleteWebhook(core)),
    route('POST', '/webhooks/{id}/test', 'webhooks:write', 'Send a sample event', testWebhook(core)),
    route('POST', '/webhooks/{id}/secret', 'webhooks:write', 'Rotate the signing secret', rotateWebhookSecret(core)),
    route(
      'GET',
      '/webhooks/{id}/deliveries',
      'webhooks:list',
      'List deliveries of a webhook',
      staleEndpoint(listDeliveries, core),
    ),
    route(
      'POST',
      '/webhooks/{id}/redeliver',
      'webhooks:write',
      'Redeliver the events of a time range',
      redeliverRange(core),
    ),
    route('GET', '/webhooks/deliveries/{id}', 'webhooks:list', 'Get a delivery', showDelivery(webhooks)),
    route('POST', '/webhooks/deliveries/{id}/redeliver', 'webhooks:write', 'Redeliver one event', redeliverOne(core)),

    route('GET', '/push/key', 'push:list', 'Get the key for browser notifications', showPushKey(push)),
    route('GET', '/push/subscriptions', 'push:list', 'List browsers with notifications', listSubscriptions(push)),
    route(
      'POST',
      '/push/subscriptions',
      'push:manage',
      'Turn on notifications in a browser',
      registerSubscription(push),
    ),
    route(
      'DELETE',
      '/push/subscriptions/{id}',
      'push:manage',
      'Turn off notifications in a browser',
      deleteSubscription(push),
    ),
    route('POST', '/push/subscriptions/{id}/test', 'push:manage', 'Send a test notification', testSubscription(push)),

    route('GET', '/statistics', 'messages:list', 'Get message counts over time', staleEndpoint(showStatistics, core)),
    route('GET', '/events', liveEventScopes, 'Stream events as they happen', streamEvents({ ...core, live })),
    route('GET', '/logs', 'logs:read', 'List log entries', staleEndpoint(listLogs, core)),

    route('GET', '/virtual-phone', 'messages:list', 'Get the phones of a virtual modem', showVirtualPhone(phone)),
    route('POST', '/virtual-phone', 'messages:send', 'Send to a virtual modem', sendFromVirtualPhone(phone)),

    everywhereRoute('GET', '/health', 'public', 'Get the health of the service', getHealth(service)),
    everywhereRoute('GET', '/health/live', 'public', 'Check whether the process is alive', getHealth(service, 'live')),
    everywhereRoute(
      'GET',
      '/health/ready',
      'public',
      'Check whether requests are accepted',
      getHealth(service, 'ready'),
    ),
    everywhereRoute(
      'GET',
      '/health/startup',
      'public',
      'Check whether the relay has started',
      getHealth(service, 'startup'),
    ),

    rootRoute(
      'POST',
      '/hooks/alertmanager',
      'messages:send',
      'Send an SMS for alerts of Alertmanager',
      alertHook(alertmanagerNotification, hooks),
    ),
    rootRoute(
      'POST',
      '/hooks/grafana',
      'messages:send',
      'Send an SMS for alerts of Grafana',
      alertHook(grafanaNotification, hooks),
    ),
    ...facadeRoutes({ accept, clock: core.clock, statusReceivers }),
    ...twilioRoutes({ ...messages, statusReceivers }),
    ...mobileRoutes({ ...core, ...deps.phones, auth }),
    ...metricsRoutes(service.metrics),
    rootRoute('GET', '/openapi.json', 'public', 'Get the OpenAPI document', getOpenapi(document)),
    rootRoute('GET', '/api/docs/doc.json', 'public', 'Get the OpenAPI document (older path)', getOpenapi(document)),
    rootRoute(
      'GET',
      '/mobile/openapi.json',
      'public',
      'Get the OpenAPI document of the API for phones',
      getOpenapi(phones),
    ),
    rootRoute('GET', '/docs', 'public', 'Get the API reference as a page', getDocs()),
    rootRoute('GET', '/docs/{file}', 'public', 'Get a file of the API reference', getDocsFile()),
    rootRoute('GET', '/.well-known/api-catalog', 'public', 'Get the API catalog', getApiCatalog()),
    rootRoute('GET', '/.well-known/jwks.json', 'public', 'List the public keys of access tokens', auth.publishKeys),
  ]
  return table
}

function metricsRoutes({ registry, token }: RouteDeps['service']['metrics']): Route[] {
  if (token === undefined) return []
  return [rootRoute('GET', '/metrics', 'public', 'Get metrics for Prometheus', scrapeMetrics(registry, token))]
}
