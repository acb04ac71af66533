//! The help of the lesson format: one example and its explanation for each kind of line.

use yew::prelude::*;

use crate::panels::terms::with_code;
use crate::words::author as words;

const EXAMPLES: [&str; words::FORMAT.len()] = [
    "#! lesson: T01\n#! title: A delete is a write\n#! goal: Say what a delete adds.\n#! minutes: 5\n\
     #! source: your team",
    "#! picture: watch\n#! next: L05 Time travel",
    "#: start\nput /key1 value1\n----\nOK",
    "#: step Two writes\n# The store is at revision {2 = store.rev}.",
    "put /key1 value2\n----\nOK",
    "#: note Why not 1\n# The first revision is the empty store.",
    "#: predict A delete\n# At which revision is the store after `del /key1`?\n#: answer 4 = store.rev\n#: choice 3\n\
     #: choice 4\n#: why if 3 => A delete is a write.\ndel /key1\n----\n1",
    "#: task Bring the key back\n# Write `/key1` again.\n#: want `/key1` has a value.\n\
     #: check kv(\"/key1\").version == 1\n#: why if store.rev > 9 => This is too late.\n#: why `/key1` has no value.",
    "#: hint the concept\n#: hint the command\n#: hint `put /key1 x`\n#: solution\nput /key1 x\n----\nOK",
    "#: way a transaction\n#> txn\n#>>\n#>> put /key1 x\n#>>\n#>>",
    "#: wrong another key\n#> put /key2 x\n#: says /key1 has no value.",
    "#: wrong the parts before were skipped\n#: skipped",
    "#: goal",
    "#: aha A delete adds a revision.\n#: misconception A delete frees space.\n# It adds a row.",
    "{3 = store.rev}   {store.rev}   {empty if store.keys == 0}\n\
     store.rev   store.compact_rev   store.keys\nkv(\"/key1\").value   kv(\"/key1\").version\n\
     rows(\"key\").len   index(\"/key1\").gens.len\nlast.op   last.outcome   last.kvs[0].value\n\
     watch(\"w1\").events.len   some k in keys: k.version > 1",
];

#[component]
pub(super) fn Help() -> Html {
    let entries = EXAMPLES.iter().zip(words::FORMAT);
    html! {
        <details class="editor-help">
            <summary>{ words::HELP }</summary>
            <dl>
                { for entries.map(|(example, about)| html! {
                    <>
                        <dt><pre>{ *example }</pre></dt>
                        <dd>{ with_code(about, |text| html! { <>{ text }</> }) }</dd>
                    </>
                }) }
            </dl>
        </details>
    }
}
