import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The shades only tell Mantine that the colour exists: what is seen comes from `mantine.css`. */
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
    // Locking the page's scroll would write a style sheet into the page, which its policy refuses.
    Modal: { defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } } },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
})
