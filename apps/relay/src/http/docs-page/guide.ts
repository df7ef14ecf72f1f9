import { type Html, html } from './html.ts'

/** What a reader needs to know before the reference, and what changes for those who come from an older version. */
export const GUIDE_SECTIONS: readonly { readonly id: string; readonly title: string; readonly content: Html }[] = [
  {
    id: 'first-message',
    title: 'A first message',
    content: html`<pre>URL=http://127.0.0.1:3000

curl -u user:password "$URL/3rdparty/v1/messages" \\
  -H 'Content-Type: application/json' \\
  -d '{"phoneNumbers": ["+14155550123"], "textMessage": {"text": "Hello"}}'</pre>
      <p>The answer is <code>202</code> once the message is on disk. Ask for its state by the <code>id</code> in it,
      or register a webhook and be told.</p>`,
  },
  {
    id: 'authentication',
    title: 'Authentication',
    content: html`<p><b>Basic</b>, with user name and password of an account, may do everything. A <b>bearer token</b>
      may do what its scopes say; ask for one with Basic authentication and renew it with its refresh token, which works
      once. A missing or wrong credential is a <code>401</code>, a missing scope a <code>403</code>. In Local Server mode
      there is Basic authentication only, and the token endpoints answer <code>501</code>.</p>
      <pre>curl -u user:password "$URL/3rdparty/v1/auth/token" \\
  -H 'Content-Type: application/json' \\
  -d '{"ttl": 3600, "scopes": ["messages:send", "messages:read"]}'</pre>`,
  },
  {
    id: 'repeating',
    title: 'Sending again, safely',
    content: html`<p>Send an <code>Idempotency-Key</code> with a message, and repeat the request with the same key when
      you do not know whether it arrived: it is accepted once, and you get the first answer again.</p>`,
  },
  {
    id: 'errors',
    title: 'Errors',
    content: html`<p>Every error has one shape, served as <code>application/problem+json</code> to who asks for that.
      <code>message</code> says what is wrong and what to do; of a refused request <code>errors</code> names each
      member.</p>
      <pre>{
  "code": 400,
  "message": "phoneNumbers[2] is no number of any country: +1555",
  "type": "about:blank",
  "title": "Bad Request",
  "status": 400,
  "detail": "phoneNumbers[2] is no number of any country: +1555",
  "requestId": "3h_x0c…",
  "errors": [{ "path": "phoneNumbers[2]", "message": "is no number of any country: +1555" }]
}</pre>`,
  },
  {
    id: 'pages',
    title: 'Long lists',
    content: html`<p><code>limit</code> and <code>offset</code> page through a list, and <code>X-Total-Count</code> tells
      how long it is. For a long history follow the <code>Link</code> header with <code>rel="next"</code>: that stays
      fast however deep.</p>`,
  },
  {
    id: 'webhook-signatures',
    title: 'Checking that a webhook is ours',
    content: html`<p><code>X-Signature</code> is the HMAC-SHA256, in lower-case hex, of the raw body followed by
      <code>X-Timestamp</code>. Its key is the <code>signing_key</code> of your settings, or else the webhook's
      <code>secret</code> as it stands, <code>whsec_</code> included. The headers <code>webhook-id</code>,
      <code>webhook-timestamp</code> and <code>webhook-signature</code> beside it are those of Standard Webhooks. An
      event may arrive twice, always with the same <code>id</code>.</p>`,
  },
  {
    id: 'migrate-phone-number',
    title: 'Moving on from phoneNumber',
    content: html`<p>In webhook payloads <code>phoneNumber</code> is deprecated: it names the other side, whichever that
      is. Of <b>inbound</b> events read <code>sender</code>, of <b>outbound</b> ones <code>recipient</code>: the same
      value. It stays for at least twelve months, and goes only with a new major version, announced before. The requests
      that send messages do not change.</p>`,
  },
]
