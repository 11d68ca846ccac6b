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

export const theme = createTheme({
  colors: { accent },
  primaryColor: 'accent',
  primaryShade: 6,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' } } },
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
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
    '--page-background': '#fafafb',
    '--panel-background': '#ffffff',
    '--line': '#e6e7eb',
    '--hover': '#f0f1f4',
    '--chosen': '#e9ebfb',
    '--chosen-text': '#2a3397',
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
  },
})
