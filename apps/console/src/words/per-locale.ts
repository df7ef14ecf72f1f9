import { locale } from './text.ts'

/** Creates a formatter at its first use, when the locale of the page is known. */
export function perLocale<Formatter>(create: (tag: string) => Formatter): () => Formatter {
  let made: { readonly tag: string; readonly formatter: Formatter } | undefined
  return () => {
    const { tag } = locale()
    if (made?.tag !== tag) made = { tag, formatter: create(tag) }
    return made.formatter
  }
}
