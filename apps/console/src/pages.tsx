import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { EmptyState } from './ui/empty-state.tsx'
import { WaitingLines } from './ui/waiting-lines.tsx'

// Each page is a file of its own, loaded when it is first opened.
const Overview = lazy(() => import('./overview/overview.tsx'))
const Conversations = lazy(() => import('./conversations/conversations.tsx'))
const MessagePage = lazy(() => import('./messages/message-page.tsx'))
const Devices = lazy(() => import('./devices/devices.tsx'))
const DevicePage = lazy(() => import('./devices/device-page.tsx'))
const Webhooks = lazy(() => import('./webhooks/webhooks.tsx'))
const WebhookPage = lazy(() => import('./webhooks/webhook-page.tsx'))
const Access = lazy(() => import('./access/access.tsx'))
const Settings = lazy(() => import('./settings/settings.tsx'))
const Logs = lazy(() => import('./logs/logs.tsx'))
const Developers = lazy(() => import('./developers/developers.tsx'))

export function Pages() {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/conversations/:number?">{({ number }) => <Conversations number={number} />}</Route>
        <Route path="/messages/:id">{({ id }) => <MessagePage id={id} />}</Route>
        <Route path="/devices" component={Devices} />
        <Route path="/devices/:id">{({ id }) => <DevicePage id={id} />}</Route>
        <Route path="/webhooks" component={Webhooks} />
        <Route path="/webhooks/:id">{({ id }) => <WebhookPage id={id} />}</Route>
        <Route path="/access" component={Access} />
        <Route path="/settings" component={Settings} />
        <Route path="/logs" component={Logs} />
        <Route path="/developers" component={Developers} />
        <Route>
          <EmptyState icon="search" title="There is no such page">
            The address may have been mistyped. Everything there is stands in the menu.
          </EmptyState>
        </Route>
      </Switch>
    </Suspense>
  )
}

function Loading() {
  return (
    <div className="page">
      <WaitingLines lines={6} />
    </div>
  )
}
