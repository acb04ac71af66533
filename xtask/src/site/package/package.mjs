// Writes the npm package of figures: node package.mjs DIST RELEASE VERSION, the folder with the site, the name of the folder
// of its release, and the version of the package. The package has the files of the site that a figure loads, and not the
// app and its pages.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';

const [dist, release, version] = process.argv.slice(2);
const TOP = ['watch-glass.js', 'embed.html', 'figures.json', 'LICENSES.txt'];
// The parts of the program that no figure loads, the tape of the start page, and the style sheets of pages.
const OF_PAGES = /^(split_(author|dialogs)\.wasm|offline-.*|tapes\/front|static\/(?!embed\.)[^/]*(\.html\.css|\.png))$/;

const folder = await mkdtemp(join(tmpdir(), 'watchglass-'));
try {
  for (const name of TOP) await cp(join(dist, name), join(folder, name));
  await cp(join(dist, release), join(folder, release), {
    recursive: true,
    filter: (file) => !OF_PAGES.test(relative(join(dist, release), file).split(sep).join('/')),
  });
  for (const name of ['watch-glass.d.ts', 'README.md']) await cp(new URL(name, import.meta.url), join(folder, name));
  const loader = await readFile(join(folder, 'watch-glass.js'));
  const about = {
    name: 'watchglass',
    version,
    description: 'Figures of etcd and of Kubernetes’ watch cache for documentation: a deterministic simulator in a custom element',
    license: 'Apache-2.0',
    keywords: ['etcd', 'kubernetes', 'custom element', 'simulator'],
    type: 'module',
    exports: { '.': { types: './watch-glass.d.ts', default: './watch-glass.js' }, './*': './*' },
    sideEffects: true,
    // The hash for the attribute `integrity` of a script tag that names this version of the loader.
    watchglass: { release, integrity: `sha384-${createHash('sha384').update(loader).digest('base64')}` },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: folder, shell: process.platform === 'win32' });
} finally {
  await rm(folder, { recursive: true });
}
console.log(`· watchglass-${version}.tgz is the package of figures`);
