import { Button, Modal } from '@mantine/core'
import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useChangeWebhook, useDeleteWebhook, useRotateSecret, useTestWebhook, useWebhooks } from '../api/webhooks.ts'
import { BackLink } from '../shell/back-link.tsx'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { ShownOnce } from '../ui/dialogs/create-dialog.tsx'
import { destructive } from '../ui/dialogs/destructive.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Page } from '../ui/page.tsx'
import { NoteBox, ProblemNote } from '../ui/problem-note.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { usePathPart } from '../ui/values/path-part.ts'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { optionalText, rich, t } from '../words/text.ts'
import { attemptErrorWords } from './attempt-error-words.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhooks.tsx'

/** One webhook with its actions and deliveries. */
export default function WebhookPage() {
  const id = usePathPart('/webhooks') ?? ''
  const webhooks = useWebhooks()
  const webhook = webhooks.data?.find((one) => one.id === id)
  return (
    <Page
      title={webhook?.name ?? webhook?.url ?? t('webhooks.one')}
      back={<BackLink list="/webhooks" />}
      about={
        webhook === undefined ? undefined : (
          <Dotted>
            {/* Notes below describe a webhook that is disabled or paused. */}
            {webhook.disabledAt === undefined && webhook.pausedAt === undefined && <WebhookState webhook={webhook} />}
            {webhook.name !== undefined && (
              <span className="mono" dir="ltr">
                {webhook.url}
              </span>
            )}
            <code dir="ltr">{webhook.events.join(', ')}</code>
            {webhook.format !== undefined && (optionalText(`webhooks.format.${webhook.format}`) ?? webhook.format)}
          </Dotted>
        )
      }
      actions={webhook && <WebhookActions webhook={webhook} />}
    >
      <ProblemNote error={webhooks.error} retry={() => void webhooks.refetch()} />
      {webhooks.isPending && <WaitingLines />}
      {webhooks.isSuccess && webhook === undefined && (
        <EmptyState icon="webhooks" title={t('webhooks.unknown')}>
          {t('webhooks.unknownHelp')}
        </EmptyState>
      )}
      {webhook?.disabledAt !== undefined && <Disabled webhook={webhook} />}
      {webhook?.pausedAt !== undefined && <Paused webhook={webhook} />}
      {webhook && <DeliveryLog webhook={webhook} />}
    </Page>
  )
}

function Disabled({ webhook }: { readonly webhook: WebhookAnswer }) {
  const change = useChangeWebhook()
  const { id, disabledAt, disabledReason, disabledCode, disabledValues } = webhook
  return (
    <NoteBox tone="bad">
      <p>
        {rich('webhooks.disabledSince', { when: <RelativeTime at={disabledAt ?? ''} /> })}{' '}
        {disabledReason !== undefined &&
          t('webhooks.disabledReason', { reason: attemptErrorWords(disabledReason, disabledCode, disabledValues) })}
      </p>
      <Button
        size="xs"
        variant="default"
        mt={8}
        loading={change.isPending}
        onClick={() => change.mutate({ id, paused: false })}
      >
        {t('webhooks.enable')}
      </Button>
      <ProblemNote error={change.error} />
    </NoteBox>
  )
}

function Paused({ webhook: { id, pausedAt = '' } }: { readonly webhook: WebhookAnswer }) {
  const change = useChangeWebhook()
  return (
    <NoteBox tone="warn">
      <p>{rich('webhooks.pausedSince', { when: <RelativeTime at={pausedAt} /> })}</p>
      <Button
        size="xs"
        variant="default"
        mt={8}
        loading={change.isPending}
        onClick={() => change.mutate({ id, paused: false })}
      >
        {t('webhooks.resume')}
      </Button>
      <ProblemNote error={change.error} />
    </NoteBox>
  )
}

function WebhookActions({ webhook }: { readonly webhook: WebhookAnswer }) {
  const { id, pausedAt } = webhook
  const isPaused = pausedAt !== undefined
  const change = useChangeWebhook()
  const pause = useChangeWebhook()
  const [, goTo] = useLocation()
  const test = useTestWebhook()
  const rotate = useRotateSecret()
  const remove = useDeleteWebhook()
  const [asking, setAsking] = useState<'edit' | 'rotate' | 'delete'>()
  const close = () => setAsking(undefined)
  // Resets the dialogue, so that it asks for confirmation again and does not show the secret any more.
  const done = () => {
    close()
    rotate.reset()
  }
  return (
    <>
      {!isPaused && (
        <Button loading={test.isPending} onClick={() => test.mutate(id)}>
          {t('webhooks.test')}
        </Button>
      )}
      <Button variant="default" onClick={() => setAsking('edit')}>
        {t('webhooks.edit')}
      </Button>
      {!isPaused && (
        <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate({ id, paused: true })}>
          {t('webhooks.pause')}
        </Button>
      )}
      <Button variant="default" onClick={() => setAsking('rotate')}>
        {t('webhooks.rotate')}
      </Button>
      <Button {...destructive} onClick={() => setAsking('delete')}>
        {t('common.delete')}
      </Button>
      <ProblemNote error={test.error} />
      <ProblemNote error={pause.error} />
      <Modal opened={asking === 'edit'} onClose={close} title={t('webhooks.editTitle')} size="lg">
        <WebhookForm
          webhook={webhook}
          action={t('common.save')}
          save={{ ...change, mutate: ({ format, ...fields }, after) => change.mutate({ id, ...fields }, after) }}
          onSaved={close}
        />
      </Modal>
      <AskFirst
        title={t('webhooks.rotateTitle')}
        action={t('webhooks.rotate')}
        isHarmless
        isOpen={asking === 'rotate' && rotate.data === undefined}
        deed={rotate}
        onYes={() => rotate.mutate(id)}
        onClose={close}
      >
        {t('webhooks.rotateHelp')}
      </AskFirst>
      <Modal
        opened={asking === 'rotate' && rotate.data !== undefined}
        onClose={done}
        closeOnClickOutside={false}
        closeOnEscape={false}
        title={t('webhooks.newSecret')}
        size="lg"
      >
        <ShownOnce onDone={done}>
          <ShownSecret secret={rotate.data?.secret} format={webhook.format} />
        </ShownOnce>
      </Modal>
      <AskFirst
        title={t('webhooks.deleteTitle')}
        action={t('webhooks.delete')}
        isOpen={asking === 'delete'}
        deed={remove}
        onYes={() => remove.mutate(id, { onSuccess: () => goTo('/webhooks') })}
        onClose={close}
      >
        {t('webhooks.deleteHelp')}
      </AskFirst>
    </>
  )
}
