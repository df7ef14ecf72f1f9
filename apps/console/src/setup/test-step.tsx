import { Button, TextInput } from '@mantine/core'
import type { DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useReply, useSendMessage } from '../api/conversations.ts'
import { useMessage } from '../api/messages.ts'
import { conversationPath } from '../conversations/conversation-path.ts'
import { failureWords, waitingText } from '../messages/timeline-words.ts'
import { useSignedIn } from '../session-context.ts'
import { useOrigin } from '../shell/back-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { NoteBox, ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { useNow } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { isReplyTo } from './setup-state.ts'

interface Tested {
  readonly device: DeviceDetailAnswer
  readonly modem: ModemAnswer
  /** Name of the modem. */
  readonly name: string
  /** The number of the phone that the user has typed; undefined before the user has typed it. */
  readonly phone: string | undefined
  readonly onPhone: (phone: string) => void
}

/**
 * Sends a test message to the phone of the user, and waits for the reply. The message and its SIM are part of the
 * address of the page.
 */
export function TestStep(tested: Tested) {
  const [id, setId] = useTest(tested)
  const { hasVirtualPhone } = useSignedIn()
  const isVirtual = tested.device.simCards.find(({ simNumber }) => simNumber === tested.modem.simNumber)?.isEmulated
  const form = <TestForm tested={tested} isVirtual={isVirtual === true && hasVirtualPhone} onSent={setId} />
  return (
    <>
      {isVirtual && <NoteBox tone="quiet">{t(hasVirtualPhone ? 'setup.virtual' : 'setup.emulated')}</NoteBox>}
      {id === skipped && <Works words={t('setup.untested', { name: tested.name })} />}
      {id === '' && form}
      {id !== '' && id !== skipped && (
        <SentTest key={id} id={id} tested={tested} form={form} onAgain={() => setId('')} />
      )}
    </>
  )
}

const skipped = 'none'

function useTest({ device, modem: { simNumber } }: Tested): readonly [string, (id: string) => void] {
  const [parameters, setParameters] = useSearchParams()
  const change = (id: string) =>
    setParameters(
      (before) => {
        if (id === '') before.delete('message')
        else before.set('message', id)
        before.set('device', device.id)
        if (simNumber !== undefined) before.set('sim', String(simNumber))
        return before
      },
      { replace: true },
    )
  return [parameters.get('message') ?? '', change]
}

function TestForm({
  tested: { device, modem, phone, onPhone },
  isVirtual,
  onSent,
}: {
  readonly tested: Tested
  readonly isVirtual: boolean
  readonly onSent: (id: string) => void
}) {
  const to = phone ?? (isVirtual ? virtualPhone : '')
  const send = useSendMessage()
  const problems = useFieldProblems(send.error, ['phoneNumbers'])
  return (
    <form
      ref={problems.form}
      className="fields"
      // Switches off the checks of the browser, because the API describes problems of the fields in the language of the
      // console.
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const { simNumber } = modem
        const message = {
          phoneNumbers: [to.trim()],
          textMessage: { text: t('setup.testText') },
          ...{ withDeliveryReport: true, deviceId: device.id },
          ...(simNumber !== undefined && { simNumber }),
        }
        send.mutate(message, { onSuccess: ({ id }) => onSent(id) })
      }}
    >
      <TextInput
        label={t('setup.yourNumber')}
        description={isVirtual ? t('setup.yourNumberVirtual') : t('setup.yourNumberHelp')}
        placeholder="+44 7400 123456"
        type="tel"
        dir="ltr"
        autoComplete="tel"
        required
        withAsterisk={false}
        value={to}
        error={problems.of('phoneNumbers')}
        onChange={(event) => onPhone(event.currentTarget.value)}
      />
      <ProblemNote error={problems.rest} />
      <div className="page-actions">
        <Button type="submit" loading={send.isPending}>
          {t('setup.sendTest')}
        </Button>
        <Button variant="default" onClick={() => onSent(skipped)}>
          {t('setup.skipTest')}
        </Button>
      </div>
    </form>
  )
}

/** The number of the virtual phone. */
const virtualPhone = '+447400123456'

function SentTest({
  id,
  tested,
  form,
  onAgain,
}: {
  readonly id: string
  readonly tested: Tested
  /**
   * The form. It is shown instead of the result if another modem sent the message, for example because the user opened
   * an old link.
   */
  readonly form: ReactNode
  readonly onAgain: () => void
}) {
  const message = useMessage(id)
  const { simNumber } = tested.modem
  const isOther = message.data !== undefined && !isTestOf(message.data, tested)
  const number = message.data?.recipients[0]?.phoneNumber ?? ''
  const isSent = message.data?.state === 'Sent' || message.data?.state === 'Delivered'
  const { data: reply } = useReply(
    tested.device.id,
    message.data?.createdAt,
    isSent && !isOther,
    (item) => isReplyTo({ number, simNumber }, item) && !usedReplies.has(item.id),
  )
  const again = (
    <Button
      variant="default"
      size="xs"
      onClick={() => {
        if (reply) usedReplies.add(reply.id)
        onAgain()
      }}
    >
      {t('setup.testAgain')}
    </Button>
  )
  if (message.data === undefined)
    return message.error === null ? null : (
      <>
        <ProblemNote error={message.error} />
        <div>{again}</div>
      </>
    )
  if (isOther) return form
  if (reply)
    return (
      <>
        <p>
          {rich('setup.reply', {
            text: reply.isEncrypted ? t('thread.encryptedReceived') : <q dir="auto">{reply.contentPreview}</q>,
          })}
        </p>
        <Works words={t('setup.works', { name: tested.name })} to={number} />
        <div>{again}</div>
      </>
    )
  if (message.data.state === 'Failed' || message.data.state === 'Cancelled')
    return <FailedTest message={message.data} again={again} />
  return (
    <>
      <div role="status">
        {isSent ? (
          <AwaitedReply number={number} sentAt={message.data.states.Sent} />
        ) : (
          <p>{rich('setup.sending', { number: <bdi>{number}</bdi> })}</p>
        )}
        {!isSent && message.data.waiting !== undefined && <p className="quiet">{waitingText(message.data.waiting)}</p>}
      </div>
      <div className="page-actions">{again}</div>
    </>
  )
}

function isTestOf({ deviceId, simNumber }: MessageStateAnswer, { device, modem }: Tested): boolean {
  return (
    deviceId === device.id &&
    (simNumber === undefined || modem.simNumber === undefined || simNumber === modem.simNumber)
  )
}

/** The replies that earlier tests have used, so that none of these replies is accepted in the next test. */
const usedReplies = new Set<string>()

function AwaitedReply({ number, sentAt }: { readonly number: string; readonly sentAt: string | undefined }) {
  const nowMs = useNow()
  const isLate = sentAt !== undefined && nowMs - Date.parse(sentAt) > lateMs
  return (
    <>
      <p>{rich('setup.replyTo', { number: <bdi>{number}</bdi> })}</p>
      {isLate && <NoteBox tone="warn">{t('setup.noReply')}</NoteBox>}
    </>
  )
}

/** When to show a hint that no reply has arrived. Most replies arrive within a minute. */
const lateMs = 120_000

function FailedTest({ message, again }: { readonly message: MessageStateAnswer; readonly again: ReactNode }) {
  const origin = useOrigin()
  return (
    <>
      <div role="alert">
        <NoteBox tone="bad">
          <p>{t('setup.testFailed')}</p>
          <p dir="auto">{failureWords(message.recipients[0] ?? {})?.text}</p>
          <p>{t('setup.testFailedHelp')}</p>
        </NoteBox>
      </div>
      <div className="page-actions">
        {again}
        <Link href={`/messages/${encodeURIComponent(message.id)}`} state={origin}>
          {t('thread.showTimeline')}
        </Link>
      </div>
    </>
  )
}

/** The green line that ends the setup. */
function Works({ words, to }: { readonly words: string; readonly to?: string }) {
  return (
    <>
      <p className="setup-works" role="status">
        <Icon name="tick" size={20} />
        {words}
      </p>
      <div className="page-actions">
        {to !== undefined && <Link href={conversationPath(to)}>{t('setup.openConversation')}</Link>}
        <Link href="/">{t('notFound.home')}</Link>
      </div>
    </>
  )
}
