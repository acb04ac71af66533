// What most people do first with a figure and with the app: what must not wait for the rest of a program.
import { Terminal } from './terminal.mjs';
import { Time } from './time.mjs';

const WIDE = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };
const SMALL = { width: 800, height: 450 };

export const VISITS = [
  { address: 'embed.html?scenario=two-generations', program: 'embed', size: SMALL, use: useFigure },
  { address: 'embed.html?scenario=at-a-glance&at=end', program: 'embed', size: PHONE, theme: 'dark', use: useFigure },
  { address: 'embed.html?scenario=slow-client&at=step:14&view=watch,index', program: 'embed', size: SMALL, use: useFigure },
  { address: './', program: 'embed', size: WIDE, use: useFigure },
  { address: './', program: 'embed', size: PHONE, theme: 'dark', use: useFigure },
  { address: './?scenario=two-generations', program: 'app', size: WIDE, use: useApp },
  { address: './?scenario=empty', program: 'app', size: WIDE, theme: 'dark', use: useApp },
  { address: './?scenario=slow-client', program: 'app', size: PHONE, use: useApp },
  { address: './?scenario=at-a-glance&at=step:3', program: 'app', size: WIDE, use: useApp },
  // Their engines may wait for their rest, in a thread of their own; the page may not.
  { address: './?app', program: 'app', size: WIDE, use: useApp, engineWaits: true },
  { address: './?lessons', program: 'app', size: WIDE, use: async () => {}, engineWaits: true },
  { address: './?lesson=L01', program: 'app', size: WIDE, use: useLesson, engineWaits: true },
  { address: './?scenario=slow-client&view=watch', program: 'app', size: WIDE, use: useApp, engineWaits: true },
];

const PLAYED_MS = 1500;

// There and back by key, by dragging and by time; something pointed at, and something selected.
export async function useFigure(page) {
  const time = new Time(page);
  // A figure on a phone has buttons alone.
  const hasSlider = await time.slider.isVisible();
  if (hasSlider) await time.slider.focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'ArrowLeft']) {
    await page.keyboard.press(key);
    await page.evaluate(() => window.watchglass.state());
  }
  if (hasSlider) await time.drag(0.2, 0.8);
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.waitForTimeout(PLAYED_MS);
  await page.keyboard.press('Space');
  const picture = await page.getByRole('figure').first().boundingBox();
  for (const part of [0.3, 0.5, 0.7]) {
    await page.mouse.move(picture.x + picture.width * part, picture.y + picture.height * 0.3, { steps: 20 });
  }
  await page.mouse.click(picture.x + picture.width * 0.5, picture.y + picture.height * 0.3);
  await page.evaluate(() => window.watchglass.step(1));
}

// A command in a lesson.
async function useLesson(page) {
  await new Terminal(page).run('put /key1 value1');
  await page.evaluate(() => window.watchglass.state());
}

// The same in the app, and some commands.
export async function useApp(page) {
  await useFigure(page);
  const terminal = new Terminal(page);
  await page.keyboard.press('/');
  for (const line of ['put /a 1', 'put /a 2', 'get /a', 'get / 0 --rev=2', 'del /a']) {
    await terminal.run(line);
    await page.evaluate(() => window.watchglass.state());
  }
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Escape');
}
