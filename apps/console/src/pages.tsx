import { Link, Route, Switch, useLocation } from 'wouter'
import { patientPage } from './patient-page.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { Page } from './ui/page.tsx'
import { PageBoundary } from './ui/page-boundary.tsx'
import { t } from './words/text.ts'

const Overview = patientPage(() => import('./overview/overview.tsx'))
const Conversations = patientPage(() => import('./conversations/conversations.tsx'))
const Messages = patientPage(() => import('./messages/messages.tsx'))
const MessagePage = patientPage(() => import('./messages/message-page.tsx'))
const Approvals = patientPage(() => import('./approvals/approvals.tsx'))
const Devices = patientPage(() => import('./devices/devices.tsx'))
const DevicePage = patientPage(() => import('./devices/device-page.tsx'))
const Setup = patientPage(() => import('./setup/setup.tsx'))
const Webhooks = patientPage(() => import('./webhooks/webhooks.tsx'))
const WebhookPage = patientPage(() => import('./webhooks/webhook-page.tsx'))
const Access = patientPage(() => import('./access/access.tsx'))
const Settings = patientPage(() => import('./settings/settings.tsx'))
const Logs = patientPage(() => import('./logs/logs.tsx'))
const Developers = patientPage(() => import('./developers/developers.tsx'))

export function Pages() {
  const [path] = useLocation()
  return (
    <PageBoundary path={path}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/compose">
          <Conversations isNew />
        </Route>
        <Route path="/conversations/:number?">
          <Conversations />
        </Route>
        <Route path="/messages" component={Messages} />
        <Route path="/messages/:id">
          <MessagePage />
        </Route>
        <Route path="/approvals" component={Approvals} />
        <Route path="/devices" component={Devices} />
        <Route path="/devices/:id">{({ id }) => <DevicePage id={id} />}</Route>
        <Route path="/setup" component={Setup} />
        <Route path="/webhooks" component={Webhooks} />
        <Route path="/webhooks/:id">
          <WebhookPage />
        </Route>
        <Route path="/access" component={Access} />
        <Route path="/settings" component={Settings} />
        <Route path="/logs" component={Logs} />
        <Route path="/developers" component={Developers} />
        <Route>
          <NoSuchPage />
        </Route>
      </Switch>
    </PageBoundary>
  )
}

function NoSuchPage() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyState icon="search" title={t('notFound.heading')} action={<Link href="/">{t('notFound.home')}</Link>}>
        {t('notFound.help')}
      </EmptyState>
    </Page>
  )
}
