import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useSignedIn } from '../session-context.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { rich, t } from '../words/text.ts'
import { listenSnippet, type SnippetLanguage, sendSnippet, snippetLanguages, tokenSnippet } from './snippets.ts'
import './developers.css'

/** Examples for the API of this gateway. They can be pasted unchanged. */
export default function Developers() {
  const { username, mode, twilioAccountSid } = useSignedIn()
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const host = { origin: location.origin, username, hasTokens: mode === 'cloud' }
  return (
    <Page
      title={t('api.title')}
      about={rich('api.about', {
        url: `${location.origin}/3rdparty/v1`,
        mono: (inner) => (
          <span className="mono" dir="ltr">
            {inner}
          </span>
        ),
        docs: (inner) => <a href="/docs">{inner}</a>,
        openapi: (inner) => <a href="/openapi.json">{inner}</a>,
      })}
    >
      {host.hasTokens && (
        <Panel
          title={t('api.getToken')}
          about={rich('api.getTokenAbout', {
            access: (inner) => <Link href="/access">{inner}</Link>,
          })}
        >
          <CopyField name={t('api.tokenCommand')} value={tokenSnippet(host)} isLong />
        </Panel>
      )}
      <Panel
        title={t('api.send')}
        about={rich(host.hasTokens ? 'api.sendWithToken' : 'api.sendWithPassword', {
          username: <bdi>{username}</bdi>,
          access: (inner) => <Link href="/access">{inner}</Link>,
        })}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t('api.language')}
            data={[...snippetLanguages]}
            value={language}
            onChange={(value) => setLanguage(value as SnippetLanguage)}
          />
        }
      >
        <CopyField name={t('api.snippet', { language })} value={sendSnippet(language, host)} isLong />
      </Panel>
      <Panel
        title={t('api.receive')}
        about={rich('api.receiveAbout', {
          webhooks: (inner) => <Link href="/webhooks">{inner}</Link>,
        })}
      >
        <CopyField name={t('api.listenCommand')} value={listenSnippet(host)} isLong />
      </Panel>
      <Panel
        title={t('webhooks.format.twilio')}
        about={rich('api.twilioAbout', { access: (inner) => <Link href="/access">{inner}</Link> })}
      >
        <CopyField name={t('api.twilioAccount')} value={twilioAccountSid} isNamed />
        <CopyField name={t('api.twilioUrl')} value={`${location.origin}/2010-04-01`} isNamed />
      </Panel>
      <Panel title={t('api.notes')}>
        <ul className="good-to-know">
          <li>{rich('api.note202')}</li>
          <li>{rich('api.noteRetry')}</li>
          <li>{rich('api.noteErrors')}</li>
        </ul>
      </Panel>
    </Page>
  )
}
