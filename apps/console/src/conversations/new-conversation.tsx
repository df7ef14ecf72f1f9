import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useSendMessage } from '../api/conversations.ts'
import { ApiFailure } from '../api/request/ask.ts'
import { useSignedIn } from '../session-context.ts'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { t } from '../words/text.ts'
import { Composer } from './composer.tsx'
import { conversationPath } from './conversation-path.ts'
import { draftKey, moveDraft } from './drafts.ts'
import { numbersIn, pastedColumn } from './recipients.ts'
import { ThreadHead } from './thread-head.tsx'

/** Recipients and first message of a new conversation. */
export function NewConversation() {
  const { username } = useSignedIn()
  const [parameters] = useSearchParams()
  const [to, setTo] = useState(parameters.get('to') ?? '')
  const send = useSendMessage()
  const [, goTo] = useLocation()
  const { form } = useFieldProblems<HTMLElement>(send.error, ['phoneNumbers'])
  const wrongNumbers = isAboutNumbers(send.error) ? send.error.problems().join(' ') : undefined
  return (
    <section ref={form} className="thread" aria-label={t('conversations.new')}>
      <ThreadHead title={t('conversations.new')} />
      <div className="thread-scroll is-new">
        <TextInput
          label={t('common.to')}
          description={t('composer.toHelp')}
          placeholder="+44 7400 123456"
          type="text"
          dir="ltr"
          inputMode="tel"
          autoComplete="off"
          autoFocus
          value={to}
          error={wrongNumbers}
          onChange={(event) => {
            setTo(event.currentTarget.value)
            send.reset()
          }}
          onPaste={(event) => {
            const field = event.currentTarget
            const { value, selectionStart, selectionEnd } = field
            const range = { value, start: selectionStart ?? value.length, end: selectionEnd ?? value.length }
            const column = pastedColumn(event.clipboardData.getData('text/plain'), range)
            if (column === undefined) return
            event.preventDefault()
            setTo(column.text)
            requestAnimationFrame(() => field.setSelectionRange(column.cursor, column.cursor))
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            document.getElementById('composer')?.focus()
          }}
        />
      </div>
      <Composer
        draftKey={draftKey(username)}
        isBusy={send.isPending}
        error={wrongNumbers === undefined ? send.error : null}
        onEdit={send.reset}
        onSend={async (message) => {
          const sent = await send.mutateAsync({ ...message, phoneNumbers: numbersIn(to) })
          const [first] = sent.recipients
          if (first === undefined) return
          moveDraft(draftKey(username), draftKey(username, first.phoneNumber))
          goTo(conversationPath(first.phoneNumber))
        }}
      />
    </section>
  )
}

function isAboutNumbers(error: Error | null): error is ApiFailure {
  return error instanceof ApiFailure && error.isOnlyAbout(['phoneNumbers'])
}
