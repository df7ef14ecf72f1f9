/**
 * The text that an agent signs with its Ed25519 key and the relay verifies. The text contains the purpose, the nonce of
 * the connection and all claims, so that a signature is not valid for any other use.
 */
export function signedText(claim: SignedClaim): string {
  const lines =
    claim.purpose === 'hello' ? [claim.deviceId, claim.journalId, claim.bootId] : [claim.credential, claim.publicKey]
  return ['smsgw.v1', claim.purpose, claim.relayId, claim.nonce, ...lines].map(quote).join('\n')
}

export type SignedClaim = { readonly relayId: string; readonly nonce: string } & (
  | { readonly purpose: 'hello'; readonly deviceId: string; readonly journalId: string; readonly bootId: string }
  | { readonly purpose: 'pair'; readonly credential: string; readonly publicKey: string }
)

/** Escapes a claim, because a line break inside a claim must not look like its end. */
function quote(line: string): string {
  return JSON.stringify(line)
}
