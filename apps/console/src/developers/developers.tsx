import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useSignedIn } from '../session-context.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { type Language, languages, listenSnippet, sendSnippet, tokenSnippet } from './snippets.ts'
import './developers.css'

/** How a program uses this gateway: ready to paste, with its own address. */
export default function Developers() {
  const { username, mode } = useSignedIn()
  const [language, setLanguage] = useState<Language>('curl')
  const host = { origin: location.origin, username, hasTokens: mode === 'cloud' }
  return (
    <Page
      title="API"
      about={
        <>
          Everything on these pages is the HTTP API at <span className="mono">{location.origin}/3rdparty/v1</span>. It
          is <a href="/docs">described in full</a>, also as an <a href="/openapi.json">OpenAPI document</a>.
        </>
      }
    >
      {host.hasTokens && (
        <Panel
          title="Get a token"
          about={
            <>
              By account and password, or <Link href="/access">here in the console</Link>.
            </>
          }
        >
          <CopyField name="command for a token" value={tokenSnippet(host)} isLong />
        </Panel>
      )}
      <Panel
        title="Send a message"
        about={
          host.hasTokens
            ? 'With a token in SMSGW_TOKEN that has the scope messages:send.'
            : `With the password of ${username} in SMSGW_PASSWORD.`
        }
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Language"
            data={[...languages]}
            value={language}
            onChange={(value) => setLanguage(value as Language)}
          />
        }
      >
        <CopyField name={`${language} snippet`} value={sendSnippet(language, host)} isLong />
      </Panel>
      <Panel
        title="Hear what comes in"
        about={
          <>
            <Link href="/webhooks">Webhooks</Link> call a program of yours. One that cannot be called listens instead,
            and after a break goes on where it was (<code>Last-Event-ID</code>).
          </>
        }
      >
        <CopyField name="command that listens" value={listenSnippet(host)} isLong />
      </Panel>
      <Panel title="Good to know">
        <ul className="good-to-know">
          <li>
            <b>202 means kept.</b> From then on the message ends as Delivered, Sent, Failed or Cancelled, whatever
            restarts.
          </li>
          <li>
            <b>Never twice.</b> Give your own <code>id</code>, or an <code>Idempotency-Key</code>: then a request that
            you are not sure of can simply be made again.
          </li>
          <li>
            <b>Every failure tells its reason</b>, in <code>recipients[].error</code> and in the timeline of the
            message.
          </li>
        </ul>
      </Panel>
    </Page>
  )
}
