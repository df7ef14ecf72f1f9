import type { MessageStateAnswer } from '@smsgw/contract/message'
import { useState } from 'react'
import { sizeWords } from '../ui/relative-words.ts'
import './attachments.css'

interface Attachment {
  readonly partId: number
  readonly name?: string | undefined
  readonly contentType: string
  readonly size: number
}

/** The formats that every browser shows. Others are downloads. */
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/**
 * The attachments of an MMS. Pictures are shown; a click downloads them, like all others. The relay sends each
 * attachment with a policy that runs nothing in it.
 */
export function Attachments({
  of: { id, direction },
  attachments = [],
}: {
  readonly of: { readonly id: string; readonly direction: 'in' | 'out' }
  readonly attachments?: readonly Attachment[] | undefined
}) {
  const list = `/3rdparty/v1/${direction === 'in' ? 'inbox' : 'messages'}/${encodeURIComponent(id)}/attachments`
  return attachments.map((attachment) => (
    <Attached key={attachment.partId} url={`${list}/${attachment.partId}`} {...attachment} />
  ))
}

function Attached({ url, name = '', contentType, size }: Attachment & { readonly url: string }) {
  const [isBroken, setBroken] = useState(false)
  return (
    <p>
      <a href={url} download={name || true}>
        {PICTURES.includes(contentType.toLowerCase()) && !isBroken && (
          <img className="attached-picture" src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
        )}
        <bdi>{name || contentType}</bdi>
      </a>
      <span className="bubble-kind">{sizeWords(size)}</span>
    </p>
  )
}

/** The content of a message in one line of text. */
export function contentWords({
  textMessage,
  dataMessage,
  mmsMessage,
}: Pick<MessageStateAnswer, 'textMessage' | 'dataMessage' | 'mmsMessage'>): string | undefined {
  if (mmsMessage) return ['MMS', ...[mmsMessage.subject, mmsMessage.text].filter(Boolean)].join(' · ')
  return textMessage?.text ?? dataMessage?.data
}
