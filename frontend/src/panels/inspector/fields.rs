//! The fields of a row's `KeyValue` with their upstream names and an explanation of each.

use watchglass_engine::view::RowView;
use yew::prelude::*;

/// The properties of [`Fields`].
#[derive(Properties, PartialEq)]
pub struct FieldsProps {
    /// The row.
    pub row: RowView,
    /// The oldest readable revision; -1 if the store was never compacted.
    pub compacted: i64,
}

/// Renders the fields, or the reason why there are none.
#[component]
pub fn Fields(props: &FieldsProps) -> Html {
    let row = &props.row;
    if row.gone {
        return html! { <Gone compacted={props.compacted} /> };
    }
    html! {
        <>
            if row.tombstone {
                <p class="insp-note">{ "A tombstone: its row contains only the key." }</p>
            }
            <dl class="insp-fields">
                { for row.fields.iter().filter(|(name, _)| !row.tombstone || name == "key").map(|(name, value)| html! {
                    <div key={name.clone()}>
                        <dt>{ name }</dt>
                        <dd>{ value }</dd>
                        if let Some(gloss) = gloss(name) {
                            <dd class="insp-gloss">{ gloss }</dd>
                        }
                    </div>
                }) }
            </dl>
        </>
    }
}

/// The properties of [`Gone`].
#[derive(Properties, PartialEq)]
pub struct GoneProps {
    /// The oldest readable revision.
    pub compacted: i64,
}

/// Renders a note that the row does not exist any more.
#[component]
pub fn Gone(props: &GoneProps) -> Html {
    html! {
        <p class="insp-gone">
            if props.compacted > 0 {
                { "Row removed by the compaction at " }{ props.compacted }{ "." }
            } else {
                { "This row is not in the backend." }
            }
        </p>
    }
}

/// Returns the meaning of a field in one line.
pub fn gloss(name: &str) -> Option<&'static str> {
    Some(match name {
        "key" => "the key's bytes",
        "create_revision" => "revision of the first put of this generation",
        "mod_revision" => "revision of this change",
        "version" => "puts since the key was created; a delete resets it",
        "value" => "the value's bytes",
        "lease" => "the lease of the key, if any",
        "main" => "the transaction's revision, big-endian, so that rows sort by time",
        "separator" => "an underscore",
        "sub" => "the change's position in the transaction",
        "tombstone" => "t marks a delete",
        _ => return None,
    })
}
