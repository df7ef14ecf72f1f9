import { Button } from '@mantine/core'
import { createContext, type ReactNode, useContext, useState } from 'react'
import { usePictureSize } from '../api/pictures.ts'
import { Icon } from '../ui/icon.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { sizeWords } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import type { PictureSize } from './picture-size.ts'

/** The formats that every browser shows. */
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export function isPicture(contentType: string): boolean {
  return PICTURES.includes(contentType.toLowerCase())
}

/** Whether pictures are shown without a click. False for pictures from strangers. */
export const ShowsPictures = createContext(true)

/** A decoded picture takes four bytes for each pixel, however small its file is, and a huge one freezes the page. */
const MOST_PIXELS = 25_000_000

/** Pictures that were shown after a click, so that scrolling does not hide them again. */
const clicked = new Set<string>()

/**
 * A picture of an MMS. A picture with too many pixels is not decoded. Shows nothing for a file whose beginning does not
 * state its size.
 */
export function Picture({
  url,
  name,
  contentType,
  size,
}: {
  readonly url: string
  readonly name: string
  readonly contentType: string
  readonly size: number
}) {
  const isShownAtOnce = useContext(ShowsPictures)
  const [isWanted, setWanted] = useState(clicked.has(url))
  const [isBroken, setBroken] = useState(false)
  const { data, isPending } = usePictureSize(url)
  if (isPending) return <div className="attached-picture" aria-busy="true" />
  if (data == null || isBroken) return null
  const facts = [contentType.slice('image/'.length).toUpperCase(), sizeWords(size), t('picture.pixels', { ...data })]
  if (!isSafe(data)) return <Placeholder facts={facts}>{t('picture.tooLarge')}</Placeholder>
  if (isShownAtOnce || isWanted)
    return (
      <a href={url} download={name || true}>
        <img className="attached-picture" src={url} alt={name} loading="lazy" onError={() => setBroken(true)} />
      </a>
    )
  return (
    <Placeholder facts={facts}>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          clicked.add(url)
          setWanted(true)
        }}
      >
        {t('picture.show')}
      </Button>
    </Placeholder>
  )
}

function isSafe({ width, height }: PictureSize): boolean {
  return width * height <= MOST_PIXELS
}

function Placeholder({ facts, children }: { readonly facts: readonly string[]; readonly children: ReactNode }) {
  return (
    <div className="attached-picture is-hidden">
      <Icon name="picture" size={24} />
      <span className="small">
        <Dotted>{facts}</Dotted>
      </span>
      {children}
    </div>
  )
}
