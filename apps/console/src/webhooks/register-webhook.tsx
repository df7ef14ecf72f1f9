import { Modal } from '@mantine/core'
import type { WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { useState } from 'react'
import { useRegisterWebhook } from '../api/webhooks.ts'
import { t } from '../words/text.ts'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Asks for the URL and the event, then shows the secret once. */
export function RegisterWebhook({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const register = useRegisterWebhook()
  const [made, setMade] = useState<WebhookAnswer>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made === undefined ? t('webhooks.add') : t('webhooks.added')}
      size="lg"
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        <WebhookForm
          action={t('webhooks.add')}
          save={{
            ...register,
            mutate: ({ deviceId, format, ...fields }, after) =>
              register.mutate(
                { ...fields, ...(format === 'twilio' && { format }), ...(deviceId !== '' && { deviceId }) },
                after,
              ),
          }}
          onSaved={setMade}
        />
      ) : (
        <ShownSecret secret={made.secret} format={made.format} onDone={close} />
      )}
    </Modal>
  )
}
