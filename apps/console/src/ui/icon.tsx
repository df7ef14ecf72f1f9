/** Icons on a 20 × 20 grid in the colour of the text. */
const drawings = {
  overview: 'M3 11h3l2.5-6 3.5 10 2.5-6H17',
  conversations: 'M4 4.5h12v8.5H9l-3.5 3v-3H4z',
  devices:
    'M10 9.5v7M6.8 6.3a4.5 4.5 0 0 0 0 6.4M13.2 6.3a4.5 4.5 0 0 1 0 6.4M4.3 4a8 8 0 0 0 0 11M15.7 4a8 8 0 0 1 0 11',
  webhooks: 'M4 10h11M11 5.5l4.5 4.5-4.5 4.5M4 5v10',
  access: 'M12.5 3.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.7 10.3 4 16v.5h3v-2h2v-2l1.2-1.2',
  settings: 'M4 6h6M14 6h2M4 14h2M10 14h6M12 4v4M8 12v4',
  logs: 'M4 5h12M4 8.5h8M4 12h12M4 15.5h6',
  developers: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  phone: 'M6.5 2.5h7v15h-7zM9.2 15h1.6',
  plus: 'M10 4.5v11M4.5 10h11',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM12.8 12.8 16.5 16.5',
  copy: 'M7.5 7.5h8.5v8.5H7.5zM12.5 7.5V4H4v8.5h3.5',
  tick: 'M4.5 10.5l3.5 3.5 7.5-8',
  cross: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  send: 'M3.5 10 16.5 4l-4 12.5-3-5zM9.5 11.5 16.5 4',
  clock: 'M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM10 6.5V10l2.5 1.8',
  light:
    'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  dark: 'M15.5 12A6.5 6.5 0 0 1 8 4.5a6.5 6.5 0 1 0 7.5 7.5z',
  leave: 'M8 4H4v12h4M8.5 10h8M13.5 6.5 17 10l-3.5 3.5',
  help: 'M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 8.2a2 2 0 1 1 2.6 1.9c-.5.2-.6.5-.6 1.1M10 13.4v.1',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  onward: 'M8 4.5 13.5 10 8 15.5',
  down: 'M4.5 7.5 10 13l5.5-5.5',
  again: 'M15.5 8A6 6 0 1 0 16 11.5M16 4v4h-4',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.2v.1',
  more: 'M4.4 9.6h.8v.8h-.8zM9.6 9.6h.8v.8h-.8zM14.8 9.6h.8v.8h-.8z',
  bin: 'M4.5 6h11M8 6V4h4v2M6 6l.7 10.5h6.6L14 6',
} as const

/** Icons that point along the direction of reading, and are mirrored in right-to-left languages. */
const directional: ReadonlySet<string> = new Set(['back', 'onward', 'send', 'leave', 'webhooks', 'conversations'])

export type IconName = keyof typeof drawings

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={directional.has(name) ? 'is-directional' : undefined}
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  )
}
