import { colorsTuple, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import tokens from '../../../design/tokens.json'

/** Ten shades; the seventh is the icon's color. */
const accent = shades(tokens.accent)
/** Grays of the dark scheme, tinted with the accent's blue. */
const dark = shades(tokens.dark)

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: 6,
  defaultRadius: 'md',
  fontSizes: { md: tokens.fontSize },
  fontFamily: tokens.font,
  fontFamilyMonospace: tokens.fontMono,
  headings: {
    fontWeight: tokens.titleWeight,
    sizes: { h1: { fontSize: tokens.titleSize, lineHeight: '1.25' } },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Modal: { defaultProps: { centered: true, padding: 'lg', closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { padding: 'lg' } },
    DrawerRoot: { defaultProps: { padding: 'lg' } },
    // Their header elements would be second banner landmarks.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
})

/** Raises the library's colors to a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...look(0),
    '--mantine-color-orange-light-color': '#8f3d00',
    '--mantine-color-default-border': '#cdd0d8',
  },
  dark: { ...look(1), '--mantine-color-body': tokens.colors.background[1] ?? '' },
})

/** The variables of the light scheme (0) or the dark one (1). */
function look(at: 0 | 1): Record<string, string> {
  const color = (name: keyof typeof tokens.colors): string => tokens.colors[name][at] ?? ''
  return {
    '--mantine-color-text': color('text'),
    '--mantine-color-dimmed': color('dimmed'),
    '--mantine-color-placeholder': color('placeholder'),
    '--mantine-color-error': color('error'),
    '--mantine-color-anchor': color('link'),
    '--page-background': color('background'),
    '--panel-background': color('panel'),
    '--line': color('line'),
    '--hover': color('hover'),
    '--chosen': color('chosen'),
    '--chosen-text': color('chosen-text'),
    '--focus': color('focus'),
    '--control-line': color('control-line'),
    '--good': color('good'),
    '--warning': color('warning'),
  }
}

function shades(colors: readonly string[]): MantineColorsTuple {
  return colorsTuple([...colors])
}
