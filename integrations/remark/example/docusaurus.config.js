// An example site. In your own site, import the copied file, and add the plugin to `remarkPlugins` of your preset's docs.
import watchglass from '../watchglass.mjs';

const baseUrl = process.env.BASE_URL ?? '/';

export default {
  title: 'Watchglass in Docusaurus',
  url: 'https://example.org',
  baseUrl,
  onBrokenLinks: 'throw',
  themes: ['@docusaurus/theme-classic'],
  plugins: [
    ['@docusaurus/plugin-content-docs', {
      routeBasePath: '/',
      remarkPlugins: [[watchglass, { url: `${baseUrl}watchglass/` }]],
    }],
  ],
  themeConfig: { colorMode: { respectPrefersColorScheme: true }, navbar: { title: 'Watchglass in Docusaurus' } },
};
