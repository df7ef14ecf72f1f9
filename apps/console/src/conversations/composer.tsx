import { ActionIcon, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { ComposedMessage } from '../api/conversations.ts'
import { ApiFailure, SessionEnded } from '../api/request/ask.ts'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { isLocalMinute } from '../ui/time-fields/local-time.ts'
import { fullWords } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import { keepDraft, putBack, useDraft } from './drafts.ts'
import { meterOf, mostParts } from './encoding-meter.ts'
import { MeterLine } from './meter-line.tsx'
import { type ChosenOptions, SendOptionsForm, usualOptions } from './send-options.tsx'
import './composer.css'

export function Composer({
  draftKey,
  isBusy,
  error,
  onEdit,
  onSend,
}: {
  readonly draftKey: string
  readonly isBusy: boolean
  readonly error: Error | null
  /** Removes the error, which may not be true of another text. */
  readonly onEdit: () => void
  readonly onSend: (message: Omit<ComposedMessage, 'phoneNumbers'>) => Promise<unknown>
}) {
  const text = useDraft(draftKey)
  const [options, setOptions] = useState<ChosenOptions>(usualOptions)
  const [areOptionsOpen, { toggle }] = useDisclosure(false)
  const meter = useMemo(() => meterOf(text), [text])
  const field = useRef<HTMLTextAreaElement>(null)
  const isTimeClear = options.scheduleAt === '' || isLocalMinute(options.scheduleAt)
  const canSend = text !== '' && meter.parts <= mostParts && isTimeClear && !isBusy
  const timeProblem =
    error instanceof ApiFailure && error.isOnlyAbout(['scheduleAt']) ? error.about('scheduleAt') : undefined
  const showsOptions = areOptionsOpen || timeProblem !== undefined || !isTimeClear
  const write = (now: string) => {
    if (error !== null && timeProblem === undefined) onEdit()
    keepDraft(draftKey, now)
  }
  const send = async () => {
    if (!canSend) return
    // Moves the focus before sending. Otherwise, the focus would move later, when somebody may already use another
    // field.
    field.current?.focus()
    const { sim, scheduleAt, withDeliveryReport } = options
    const at = scheduleAt === '' ? undefined : new Date(scheduleAt).toISOString()
    // Clears the field at once, so that the next message can be written while this message is being sent.
    write('')
    try {
      await onSend({
        textMessage: { text },
        withDeliveryReport,
        ...sim,
        ...(at !== undefined && { scheduleAt: at }),
      })
    } catch (failure) {
      // `error` shows the reason. A sign-out has removed the texts of the user.
      if (!(failure instanceof SessionEnded && failure.isSignOut)) putBack(draftKey, text)
      return
    }
    setOptions((now) => (now.scheduleAt === scheduleAt ? { ...now, scheduleAt: '' } : now))
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <ProblemNote error={timeProblem === undefined ? error : null} />
      {showsOptions && <SendOptionsForm options={options} timeProblem={timeProblem} onChange={setOptions} />}
      <div className="composer-field">
        <textarea
          id="composer"
          ref={field}
          aria-label={t('composer.message')}
          aria-describedby="composer-meter"
          dir="auto"
          placeholder={t('composer.placeholder')}
          rows={2}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => onKey(event, () => void send())}
        />
        <div className="composer-side">
          <ActionIcon
            variant={showsOptions ? 'light' : 'subtle'}
            color={showsOptions ? 'pine' : 'gray'}
            size="lg"
            aria-label={t('composer.options')}
            title={t('composer.options')}
            aria-expanded={showsOptions}
            onClick={toggle}
          >
            <Icon name="options" />
          </ActionIcon>
          <Button
            type="submit"
            disabled={!canSend}
            loading={isBusy}
            leftSection={<Icon name={options.scheduleAt === '' ? 'send' : 'clock'} size={16} />}
          >
            {options.scheduleAt === '' ? t('common.send') : t('composer.schedule')}
          </Button>
        </div>
      </div>
      <MeterLine meter={meter} isEmpty={text === ''} onReplace={write} />
      {options.scheduleAt !== '' && !showsOptions && (
        <p className="small quiet">{t('composer.scheduledFor', { when: fullWords(options.scheduleAt) })}</p>
      )}
    </form>
  )
}

function onKey(event: KeyboardEvent<HTMLTextAreaElement>, send: () => void): void {
  if (event.key === 'Escape') event.currentTarget.blur()
  // Ignores Enter in an input method editor, where it ends the word.
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  send()
}
