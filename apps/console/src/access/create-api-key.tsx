import type { ApiKeyWithSecret } from '@smsgw/contract/access/api-key'
import type { Scope } from '@smsgw/contract/access/scopes'
import { useState } from 'react'
import { useCreateApiKey } from '../api/api-keys.ts'
import { ApiFailure } from '../api/request/ask.ts'
import { useSignedIn } from '../session-context.ts'
import { CreateDialog } from '../ui/dialogs/create-dialog.tsx'
import { isLocalMinute } from '../ui/time-fields/local-time.ts'
import { MinuteField } from '../ui/time-fields/time-fields.tsx'
import { t } from '../words/text.ts'
import { fieldsOf } from './api-key-fields.ts'
import { ApiKeyForm, type KeyFields } from './api-key-form.tsx'
import { requestedScopes, ScopeChoices } from './scope-choices.tsx'
import { ShownKey } from './shown-key.tsx'

/** Asks for name, scopes, limits and expiry, then shows the key once. */
export function CreateApiKey({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <CreateDialog<ApiKeyWithSecret>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) => (made === undefined ? t('keys.create') : t('keys.new', { name: made.name }))}
      form={(onMade) => <NewKey onMade={onMade} />}
      result={({ key }) => <ShownKey value={key} />}
    />
  )
}

function NewKey({ onMade }: { readonly onMade: (key: ApiKeyWithSecret) => void }) {
  const { mode } = useSignedIn()
  const create = useCreateApiKey()
  const [fields, setFields] = useState<KeyFields>({ name: '', ...fieldsOf({}) })
  const [chosen, setChosen] = useState<readonly Scope[]>(['messages:send', 'messages:read'])
  const [expires, setExpires] = useState('')
  return (
    <ApiKeyForm
      fields={fields}
      onChange={setFields}
      action={t('common.create')}
      isReady={chosen.length > 0 && (expires === '' || isLocalMinute(expires))}
      save={create}
      onSave={(key) =>
        create.mutate(
          {
            ...key,
            scopes: requestedScopes(chosen, true),
            ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }),
          },
          { onSuccess: onMade },
        )
      }
    >
      <ScopeChoices ofKey chosen={chosen} onChange={setChosen} without={mode === 'cloud' ? [] : ['tokens:manage']} />
      <MinuteField
        label={t('field.expiresAt')}
        description={t('keys.expiresHelp')}
        error={create.error instanceof ApiFailure ? create.error.about('expiresAt') : undefined}
        value={expires}
        onChange={setExpires}
      />
    </ApiKeyForm>
  )
}
