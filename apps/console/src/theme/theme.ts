import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The list of shades only registers the colour with Mantine. `mantine.css` sets the visible colours. */
const pine: MantineColorsTuple = [
  '#eef6f1',
  '#dfeee5',
  '#c2dfd0',
  '#a9cfbb',
  '#6fae90',
  '#3f8f6c',
  '#27795b',
  '#1a6a4e',
  '#13543d',
  '#0e3f2e',
]

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: 7,
  colors: { pine },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Does not lock the scroll position, because this would add an inline style sheet, which the
    // Content-Security-Policy refuses. A menu focuses its first item, and is rendered inside a landmark.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
    Modal: { defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } } },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
})
