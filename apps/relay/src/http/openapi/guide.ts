/** The introduction of the API reference in Markdown. */
export const GUIDE = `Send and receive SMS through your own modems. The paths below \`/3rdparty/v1\` are also
available below \`/api/3rdparty/v1\`. The older names \`/message\`, \`/device\` and \`/webhook\` work like their
plurals. Unknown members of a request are ignored, except in requests for API keys, which are refused with 400. An
optional member that is \`null\` counts as absent.

## First message

\`\`\`sh
URL=http://127.0.0.1:3000

curl -u user:password "$URL/3rdparty/v1/messages" \\
  -H 'Content-Type: application/json' \\
  -d '{"phoneNumbers": ["+14155550123"], "textMessage": {"text": "Hello"}}'
\`\`\`

The status is \`202\` as soon as the message is stored on disk. Read its state with the \`id\` in the response, or register a
webhook.

## Authentication

**Basic** authentication with the username and password of an account grants all scopes. A **bearer token** grants the
scopes it was issued with. Issue tokens with Basic authentication; each refresh token works once. Missing or wrong
credentials result in \`401\`, a missing scope in \`403\`. Local Server mode has no tokens, and the token endpoints return
\`501\`.

An **API key** is for a program that runs unattended, in every mode. It has a name, scopes and optional limits: SIMs, recipients,
and recipients per day. Send it as \`X-API-Key\`, as bearer token, or as the password of Basic authentication with any username.
Create keys with \`POST /keys\`.

\`\`\`sh
curl -u user:password "$URL/3rdparty/v1/auth/token" \\
  -H 'Content-Type: application/json' \\
  -d '{"ttl": 3600, "scopes": ["messages:send", "messages:read"]}'
\`\`\`

## Safe retries

Send an \`Idempotency-Key\` header with each message. When you do not know whether a request arrived, repeat it with the
same key: the message is sent once, and you get the first response again.

## Errors

All errors have the same form. \`message\` says what is wrong and what to do. If the request is invalid, \`errors\` lists
each wrong member. \`reason\` is a stable code for programs. To get the media type \`application/problem+json\`, send it in
the header \`Accept\`.

\`\`\`json
{
  "code": 400,
  "message": "phoneNumbers[2] \\"hello\\" is not a valid phone number: use the international format, for example +447400123456",
  "type": "about:blank",
  "title": "Bad Request",
  "status": 400,
  "detail": "phoneNumbers[2] \\"hello\\" is not a valid phone number: use the international format, for example +447400123456",
  "requestId": "3h_x0c…",
  "errors": [
    {
      "path": "phoneNumbers[2]",
      "reason": "phone_number_invalid",
      "values": { "value": "hello" },
      "message": "\\"hello\\" is not a valid phone number: use the international format, for example +447400123456"
    }
  ]
}
\`\`\`

## Pagination

Use \`limit\` and \`offset\`; \`X-Total-Count\` is the length of the list. For long lists, follow the \`Link\` header with
\`rel="next"\`: every page is then equally fast.

With some filters, items have to be counted one by one, for example in a part of a day. The relay then reads at most
2 500 items, or 1 000 items with some combinations of filters. If there are more, the response has the header
\`X-Total-Count-Exact: false\`, and there may be more items than \`X-Total-Count\`.

## Webhook signatures

\`X-Signature\` is the HMAC-SHA256, in lower-case hexadecimal, of the raw body followed by \`X-Timestamp\`. The key is the
\`signing_key\` of your settings if it is set, otherwise the \`secret\` of the webhook including \`whsec_\`. The headers
\`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` follow Standard Webhooks. An event may arrive more than
once, but always with the same \`id\`.

## Deprecated: phoneNumber in webhook payloads

Don't use \`phoneNumber\`, the number of the other party. \`sender\` in inbound events and \`recipient\` in outbound events
contain the same number. \`phoneNumber\` is kept for at least twelve months and will be removed only in a new major
version, with notice. Requests that send messages do not change.
`
