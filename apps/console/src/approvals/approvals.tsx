import { Button } from '@mantine/core'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import { Link } from 'wouter'
import { useApprovals } from '../api/approvals.ts'
import { Attachments, contentWords } from '../messages/attachments.tsx'
import { senderWords } from '../messages/senders.ts'
import { useOrigin } from '../shell/back-link.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { momentWords, untilWords } from '../ui/values/relative-words.ts'
import { shownNumber } from '../ui/values/shown-number.ts'
import { rich, t } from '../words/text.ts'
import { DecideButtons } from './decide-buttons.tsx'
import './approvals.css'

/** Messages of API keys that are sent only after a person has approved them. */
export default function Approvals() {
  const approvals = useApprovals()
  const held = approvals.data?.pages.flatMap(({ body }) => body) ?? []
  return (
    <Page title={t('approvals.title')} about={t('approvals.about')}>
      <ProblemNote error={approvals.error} retry={() => void approvals.refetch()} />
      {approvals.isPending && <WaitingLines lines={6} />}
      {approvals.isSuccess && held.length === 0 && (
        <EmptyState icon="approvals" title={t('approvals.none')}>
          {rich('approvals.noneHelp', { link: (inner) => <Link href="/access">{inner}</Link> })}
        </EmptyState>
      )}
      {held.length > 0 && (
        <WindowedList
          className="approvals"
          itemHeight={200}
          label={t('approvals.list')}
          items={held}
          keyOf={({ id }) => id}
          draw={(message) => ({ children: <HeldMessage message={message} /> })}
          isComplete={!approvals.hasNextPage}
        />
      )}
      {approvals.hasNextPage && (
        <Button variant="subtle" loading={approvals.isFetchingNextPage} onClick={() => void approvals.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Page>
  )
}

function HeldMessage({ message }: { readonly message: MessageStateAnswer }) {
  const { id, recipients, mmsMessage, sentBy, createdAt, scheduleAt, approval } = message
  const origin = useOrigin()
  return (
    <div className="held-message panel">
      <div className="held-message-head">
        <b className="held-message-numbers">
          {recipients.map(({ phoneNumber }) => (
            <bdi key={phoneNumber} dir="ltr">
              {shownNumber(phoneNumber)}
            </bdi>
          ))}
        </b>
        <RelativeTime at={createdAt} />
      </div>
      <p className="held-message-text" dir="auto">
        {contentWords(message) ?? ''}
      </p>
      {mmsMessage && <Attachments of={{ id, direction: 'out' }} attachments={mmsMessage.attachments} />}
      <p className="small quiet">
        <Dotted>
          {sentBy !== undefined && rich('approvals.requestedBy', { name: <bdi>{senderWords(sentBy)}</bdi> })}
          {scheduleAt !== undefined && t('composer.scheduledFor', { when: momentWords(scheduleAt) })}
          {approval !== undefined && t('approvals.until', { when: untilWords(approval.until) })}
        </Dotted>
      </p>
      <div className="page-actions">
        <DecideButtons id={id} about={shownNumber(recipients[0]?.phoneNumber ?? '')} />
        <Link className="small" href={`/messages/${encodeURIComponent(id)}`} state={origin}>
          {t('approvals.details')}
        </Link>
      </div>
    </div>
  )
}
