import { Button } from '@mantine/core'
import type { ConversationEntry } from '@smsgw/contract/inbox/conversation'
import { isDialledAsReceived } from '@smsgw/contract/messages/dialled-as-received'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSendMessage } from '../api/conversations.ts'
import { failureWords } from '../messages/timeline-words.ts'
import { useSignedIn } from '../session-context.ts'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { sentence } from '../words/sentence.ts'
import { t } from '../words/text.ts'
import { correctionPath } from './conversation-path.ts'
import { draftKey, putBack } from './drafts.ts'
import { nextAction } from './next-action.ts'

type Sent = Extract<ConversationEntry, { direction: 'out' }>

/** Why a message failed, the code of the network, and a button for what to do about it. */
export function FailedMessage({ item, number }: { readonly item: Sent; readonly number: string }) {
  // Offers no resending of an MMS, because its attachments would be missing.
  const text = item.attachments === undefined ? item.text : undefined
  const words = failureWords(item)
  return (
    <div className="bubble-failure">
      <p dir="auto">
        {words?.text ?? t('thread.noReason')} {words?.original !== undefined && <bdi lang="en">{words.original}</bdi>}{' '}
        {words?.advice}
        {words?.code !== undefined && (
          <>
            {' '}
            <code dir="ltr">{words.code}</code>
          </>
        )}
      </p>
      {text !== undefined && <Action item={item} number={number} text={text} />}
    </div>
  )
}

function Action({ item, number, text }: { readonly item: Sent; readonly number: string; readonly text: string }) {
  const { username } = useSignedIn()
  const [, goTo] = useLocation()
  switch (nextAction(item)) {
    case 'correct-number':
      return (
        <ActionButton
          onClick={() => {
            putBack(draftKey(username), text)
            goTo(correctionPath(number))
          }}
        >
          {t('thread.correctNumber')}
        </ActionButton>
      )
    case 'edit':
      return (
        <ActionButton
          onClick={() => {
            putBack(draftKey(username, number), text)
            document.getElementById('composer')?.focus()
          }}
        >
          {t('thread.edit')}
        </ActionButton>
      )
    case 'ask-first':
      return <SendAgain number={number} text={text} mayHaveArrived />
    case 'send-again':
      return <SendAgain number={number} text={text} />
  }
}

function SendAgain({
  number,
  text,
  mayHaveArrived = false,
}: {
  readonly number: string
  readonly text: string
  readonly mayHaveArrived?: boolean
}) {
  const send = useSendMessage()
  const [isAsking, setAsking] = useState(false)
  const again = () =>
    send.mutate(
      {
        phoneNumbers: [number],
        textMessage: { text },
        withDeliveryReport: true,
        dialsAsReceived: isDialledAsReceived(number),
      },
      { onSuccess: () => setAsking(false) },
    )
  return (
    <>
      {!mayHaveArrived && send.error !== null && <p dir="auto">{sentence(send.error.message)}</p>}
      <ActionButton isBusy={send.isPending} onClick={mayHaveArrived ? () => setAsking(true) : again}>
        {t('thread.sendAgain')}
      </ActionButton>
      {mayHaveArrived && (
        <AskFirst
          title={t('thread.sendAgainTitle')}
          action={t('thread.sendAgain')}
          isOpen={isAsking}
          deed={send}
          onYes={again}
          onClose={() => setAsking(false)}
        >
          {t('thread.sendAgainHelp')}
        </AskFirst>
      )}
    </>
  )
}

function ActionButton({
  isBusy = false,
  onClick,
  children,
}: {
  readonly isBusy?: boolean
  readonly onClick: () => void
  readonly children: string
}) {
  return (
    <Button size="compact-xs" variant="default" loading={isBusy} onClick={onClick}>
      {children}
    </Button>
  )
}
