// What follows is not wasm-bindgen's: it fetches the rest of the program (xtask/src/site/split.rs).
function rest(file, when, first) {
    const asked = (name) => fetch(new URL(name, import.meta.url), { priority: 'low' });
    const imports = () => ({ first: first() });
    const place = () => { first().rest_here.value = 1; };
    // Before anybody waits for it. A page has its engine's rest fetched as well, so that the worker finds it at hand.
    const soon = async () => {
        const answer = await asked(file);
        if (answer.ok && !first().rest_here.value) {
            await WebAssembly.instantiate(await answer.arrayBuffer(), imports());
            place();
        }
        await asked('worker_rest.wasm');
    };
    // What fails here is tried again by `load`, which says so.
    const early = () => { soon().catch(() => {}); };
    // A call that cannot go on without it: the caller waits.
    const load = () => {
        new WebAssembly.Instance(new WebAssembly.Module(bytes()), imports());
        place();
    };
    const bytes = () => {
        const request = new XMLHttpRequest();
        request.open('GET', new URL(file, import.meta.url), false);
        // While the caller waits, a window may ask for text but not for bytes: here each letter is one.
        request.overrideMimeType('text/plain; charset=x-user-defined');
        let why = '';
        try { request.send(); } catch (error) { why = `: ${error.message}`; }
        if (request.status === 200) return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0) & 255);
        const text = `A part of the simulator could not be loaded (${file}${why}). Reload the page; what was typed is kept.`;
        if (globalThis.document) document.body.append(Object.assign(document.createElement('p'), { role: 'alert', className: 'wg-rest-failed', textContent: text }));
        throw new Error(text);
    };
    if (when === 'idle') setTimeout(early, 2000);
    if (when === 'interest') {
        const signs = ['pointerover', 'pointerdown', 'keydown', 'focusin'];
        const once = () => {
            for (const sign of signs) removeEventListener(sign, once);
            early();
        };
        for (const sign of signs) addEventListener(sign, once, { passive: true });
    }
    return { load };
}
