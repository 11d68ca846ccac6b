import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** The one accent: ten shades, of which the sixth is the icon's. */
const accent: MantineColorsTuple = [
  '#eef0ff',
  '#dde0fd',
  '#b9bff8',
  '#929bf3',
  '#727dee',
  '#5d6aeb',
  '#4650dd',
  '#3a44c4',
  '#333cae',
  '#2a3397',
]

/** Greys of the dark look, with a little of the accent's blue. */
const dark: MantineColorsTuple = [
  '#dfe1e6',
  '#b9bdc7',
  '#878d99',
  '#6b7280',
  '#3a3d45',
  '#30333a',
  '#222429',
  '#1a1b1f',
  '#16171a',
  '#101114',
]

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: 6,
  defaultRadius: 'md',
  fontSizes: { md: '0.9375rem' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' } } },
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Modal: { defaultProps: { centered: true, padding: 'lg', closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { padding: 'lg' } },
    DrawerRoot: { defaultProps: { padding: 'lg' } },
  },
})

/** Contrast of 4.5 and more where the library's own colours have less (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6270',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#c0262d',
    '--mantine-color-anchor': '#3a44c4',
    '--mantine-color-orange-light-color': '#8f3d00',
    '--mantine-color-default-border': '#cdd0d8',
    '--page-background': '#fafafb',
    '--panel-background': '#ffffff',
    '--line': '#e6e7eb',
    '--hover': '#f0f1f4',
    '--chosen': '#e9ebfb',
    '--chosen-text': '#2a3397',
    '--focus': '#4650dd',
    '--control-line': '#8b919d',
    '--good': '#15803d',
    '--warning': '#b45309',
  },
  dark: {
    '--mantine-color-body': '#131417',
    '--mantine-color-dimmed': '#a2a8b4',
    '--mantine-color-placeholder': '#8b919d',
    '--mantine-color-error': '#ff8c8c',
    '--mantine-color-anchor': '#aab2fb',
    '--page-background': '#131417',
    '--panel-background': '#1a1b1f',
    '--line': '#2b2d33',
    '--hover': '#222429',
    '--chosen': '#272b4d',
    '--chosen-text': '#ccd1ff',
    '--focus': '#929bf3',
    '--control-line': '#6b7280',
    '--good': '#4ade80',
    '--warning': '#f0b454',
  },
})
