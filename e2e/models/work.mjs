// The work of the page's main thread per frame, from the browser's own trace: processor time, so that a busy machine
// does not matter. A measured loop calls `performance.mark(FRAME)` once per frame.

export const FRAME = 'bench frame';

const CATEGORIES = ['toplevel', 'blink.user_timing', '__metadata'];

// Returns processor times in ms: of every frame of `run`, and of the longest task in it.
export async function tracedWork(page, run) {
  const session = await page.context().browser().newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((done) => { session.once('Tracing.tracingComplete', done); });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: CATEGORIES },
  });
  const result = await run();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return { result, ...workOf(events) };
}

function workOf(events) {
  const marks = events.filter(({ name, cat }) => name === FRAME && cat.includes('blink.user_timing'));
  const { pid, tid } = marks[0];
  const times = marks.map(({ ts }) => ts).sort((a, b) => a - b);
  const tasks = events.filter((event) => event.pid === pid && event.tid === tid
    && /RunTask$/.test(event.name) && event.ts >= times[0] && event.ts < times.at(-1));
  const frames = new Array(times.length - 1).fill(0);
  let frame = 0;
  for (const { ts, tdur = 0 } of tasks.sort((a, b) => a.ts - b.ts)) {
    while (ts >= times[frame + 1]) frame += 1;
    frames[frame] += tdur / 1000;
  }
  return { frames, longest: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000)) };
}
