import { chromium } from '@playwright/test';
import { launchOptions } from './chromium.mjs';
const out='/tmp/shots-p';
const b = await chromium.launch(launchOptions());
const cases = process.argv.slice(2);
for (const theme of ['light','dark']) for (const [w,h] of [[1440,900],[800,450],[390,844]]) {
 for (const q of cases) {
  const page = await b.newPage({viewport:{width:w,height:h},colorScheme:theme});
  page.on('console',m=>{ if(m.type()==='error') console.log('  console:',m.text())});
  page.on('pageerror',e=>console.log('  pageerror',e.message));
  let release; const held=new Promise(r=>release=r);
  await page.route('**/*_bg.wasm', async r=>{await held; await r.continue()});
  await page.addInitScript(()=>{window.shift=0;new PerformanceObserver(l=>{for(const e of l.getEntries())window.shift+=e.value}).observe({type:'layout-shift',buffered:true})});
  await page.goto('http://127.0.0.1:8790/docs/watchglass/'+q,{waitUntil:'commit'});
  await page.waitForTimeout(900);
  const name=`${out}/${q.replace(/[^a-z0-9]+/gi,'_')}-${w}x${h}-${theme}`;
  const texts=()=>page.evaluate(()=>[...document.querySelectorAll('.loom-svg text, .loom-strip text, .wg-terminal-head, .wg-tabs button, .wg-transport-buttons button, .wg-logo, .wg-stage, .wg-time, .wg-inspector, .wg-terminal, .wg-story')].filter(t=>t.checkVisibility({visibilityProperty:true})).map(t=>{const r=t.getBoundingClientRect();return `${(t.className.baseVal??t.className)} ${Math.round(r.width)}x${Math.round(r.height)} ${Math.round(r.x)} ${Math.round(r.y)}`}).sort());
  const before=await texts();
  await page.screenshot({path:name+'-a.png'});
  release();
  await page.waitForFunction(()=>window.watchglass); await page.evaluate(()=>window.watchglass.ready().catch(e=>e.message));
  await page.waitForTimeout(700);
  const after=await texts();
  await page.screenshot({path:name+'-b.png'});
  const gone=before.filter(x=>!after.includes(x)), came=after.filter(x=>!before.includes(x));
  console.log(w,h,theme,q,'texts',before.length,'gone',gone.length,gone.slice(0,3),'came',came.length,came.slice(0,3),'shift',await page.evaluate(()=>window.shift));
  await page.close();
 }
}
await b.close();
